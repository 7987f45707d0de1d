import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { TextDisclosed } from '../../domain/operator/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

export type DisclosedEvent = Omit<TextDisclosed['data'], 'operatorId' | 'at'>;

/** Records that the texts of these events are about to be shown. @throws errors of the log. */
export class DiscloseTexts extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly events: readonly DisclosedEvent[],
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(DiscloseTexts)
export class DiscloseTextsHandler implements ICommandHandler<DiscloseTexts> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operatorId, events, metadata }: DiscloseTexts): Promise<void> {
    const at = this.clock.now();
    await handleCommand<undefined, TextDisclosed>(this.log, this.ids, {
      stream: streams.operatorDisclosures(operatorId),
      read: newestEventOf,
      initial: undefined,
      evolve: () => undefined,
      decide: () =>
        events.map((event) => ({ type: 'text.disclosed', data: { operatorId, ...event, at } }) as const),
      metadata,
    });
  }
}
