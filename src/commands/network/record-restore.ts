import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { NetworkRestored } from '../../domain/network/events.js';
import { evolveNetwork, noNetwork, recordRestore } from '../../domain/network/network.js';
import type { Network, NetworkEvent } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

/**
 * Records in the log that a backup was restored while Plaza was stopped. Idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class RecordRestore extends Command<void> {
  constructor(
    readonly restored: NetworkRestored['data'],
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordRestore)
export class RecordRestoreHandler implements ICommandHandler<RecordRestore> {
  constructor(
    private readonly log: EventLog,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ restored, metadata }: RecordRestore): Promise<void> {
    await handleCommand<Network, NetworkEvent>(this.log, this.ids, {
      stream: streams.network(),
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network) => recordRestore(network, restored),
      metadata,
    });
  }
}
