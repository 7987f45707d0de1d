import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { beginBackup, evolveNetwork, noNetwork, networkMissing } from '../../domain/network/network.js';
import type { Network, NetworkEvent } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

export interface BegunBackup {
  readonly backupId: string;
  readonly networkId: string;
  readonly at: number;
  /** Position of the recorded event: the copy of the log ends with it. */
  readonly position: bigint;
}

/**
 * Records in the log the start of a backup, its operator and reason. Not idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class BeginBackup extends Command<BegunBackup> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

@CommandHandler(BeginBackup)
export class BeginBackupHandler implements ICommandHandler<BeginBackup> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ metadata }: BeginBackup): Promise<BegunBackup> {
    const backup = { backupId: this.ids.random(), at: this.clock.now() };
    const { past, added } = await handleCommand<Network, NetworkEvent>(this.log, this.ids, {
      stream: streams.network(),
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network) => beginBackup(network, backup),
      metadata,
    });
    const [begun] = added;
    const founded = past[0]?.event;
    if (!begun || founded?.type !== 'network.founded') throw networkMissing();
    return { ...backup, networkId: founded.data.networkId, position: begun.position };
  }
}
