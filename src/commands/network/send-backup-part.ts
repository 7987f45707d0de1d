import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { BackupPartSent } from '../../domain/backup/events.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

/**
 * Records that a part of a backup is about to be sent. Not idempotent. Each backup has a stream of its own, which no
 * command decides by.
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
    const isBegun = await readNewest(
      this.log,
      () => this.isBegunBy(metadata.operatorId, backupId),
      (found) => found,
    );
    if (!isBegun)
      throw new Refusal('not_found', 'You began no such backup: only the operator who began it receives it.');
    await handleCommand<undefined, BackupPartSent>(this.log, this.ids, {
      stream: streams.backup(backupId),
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'backup.part_sent', data: { backupId, part, at: this.clock.now() } }],
      metadata,
    });
  }

  private async isBegunBy(operatorId: string | undefined, backupId: string): Promise<boolean> {
    const recorded = await this.log.read(streams.network());
    return recorded.some(
      ({ event, metadata }) =>
        event.type === 'network.backup_begun' &&
        event.data.backupId === backupId &&
        metadata.operatorId === operatorId,
    );
  }
}
