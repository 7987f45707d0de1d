import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { AnalyticsDisclosed } from '../../domain/analytics/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

export type Disclosure = Omit<AnalyticsDisclosed['data'], 'operatorId' | 'at'>;

/** Records that an operator is about to be shown texts or an id of a data set. @throws errors of the log. */
export class RecordDisclosure extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly disclosure: Disclosure,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordDisclosure)
export class RecordDisclosureHandler implements ICommandHandler<RecordDisclosure> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operatorId, disclosure, metadata }: RecordDisclosure): Promise<void> {
    await handleCommand<undefined, AnalyticsDisclosed>(this.log, this.ids, {
      stream: streams.operatorDisclosures(operatorId),
      read: newestEventOf,
      initial: undefined,
      evolve: () => undefined,
      decide: () => [
        { type: 'analytics.disclosed', data: { operatorId, ...disclosure, at: this.clock.now() } },
      ],
      metadata,
    });
  }
}
