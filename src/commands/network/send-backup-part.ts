import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveNetwork, noNetwork, sendBackupPart } from '../../domain/network/network.js';
import type { Network, NetworkEvent } from '../../domain/network/network.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

/**
 * Records that a part of a backup is sent, before it is. Not idempotent.
 * @throws {Refusal} `not_found`: the operator in `metadata` began no such backup; errors of the log.
 */
export class SendBackupPart extends Command<void> {
  constructor(
    readonly backupId: string,
    readonly part: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(SendBackupPart)
export class SendBackupPartHandler implements ICommandHandler<SendBackupPart> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ backupId, part, metadata }: SendBackupPart): Promise<void> {
    const isBegun = ({ event, metadata: begun }: Recorded<NetworkEvent>) =>
      event.type === 'network.backup_begun' &&
      event.data.backupId === backupId &&
      begun.operatorId === metadata.operatorId;
    await handleCommand<Network, NetworkEvent>(this.log, this.ids, {
      stream: streams.network(),
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network, past) =>
        past.some(isBegun)
          ? sendBackupPart(network, { backupId, part, at: this.clock.now() })
          : new Refusal('not_found', 'You began no such backup: only the operator who began it receives it.'),
      metadata,
    });
  }
}
