import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { AsOfOpened } from '../../domain/operator/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

export type AsOfLook = Omit<AsOfOpened['data'], 'at'>;

/** Records that the network as of a position is about to be shown. @throws errors of the log. */
export class OpenAsOf extends Command<void> {
  constructor(
    readonly look: AsOfLook,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(OpenAsOf)
export class OpenAsOfHandler implements ICommandHandler<OpenAsOf> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ look, metadata }: OpenAsOf): Promise<void> {
    await handleCommand<undefined, AsOfOpened>(this.log, this.ids, {
      stream: streams.operatorLooks(look.operatorId),
      read: newestEventOf,
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'as_of.opened', data: { ...look, at: this.clock.now() } }],
      metadata,
    });
  }
}
