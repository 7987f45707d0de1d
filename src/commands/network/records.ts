import { Command } from '@nestjs/cqrs';
import type { AuditExported } from '../../domain/audit/events.js';
import type { BackupPartSent } from '../../domain/backup/events.js';
import type { JobEvent } from '../../domain/job/events.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import { foundedNetwork } from './founded-network.js';

/** `position`, `eventId`: of the event that records it. */
export interface RecordedExport {
  readonly exportId: string;
  readonly networkId: string;
  readonly at: number;
  readonly position: bigint;
  readonly eventId: string;
}

/**
 * Records that entries of the audit are about to be exported. Not idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class RecordExport extends Command<RecordedExport> {
  constructor(
    readonly query: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** Records that an operator pauses or resumes a job, before it happens. Idempotent. @throws errors of the log. */
export class RecordJobChange extends Command<void> {
  constructor(
    readonly type: JobEvent['type'],
    readonly jobId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

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

export const recordHandlers = [
  handles(RecordExport, async ({ query, metadata }, write) => {
    const { networkId } = await foundedNetwork(write.log);
    const data = { exportId: write.ids.random(), query, at: write.now() };
    const event: AuditExported = { type: 'audit.exported', data };
    const [recorded] = await write.record({ stream: streams.auditExport(data.exportId) }, metadata, () => [
      event,
    ]);
    if (!recorded) throw new Error('the export was not recorded');
    const { position, id: eventId } = recorded;
    return { exportId: data.exportId, networkId, at: data.at, position, eventId };
  }),

  handles(RecordJobChange, async ({ type, jobId, metadata }, write) => {
    const newestChange = {
      stream: streams.job(jobId),
      read: newestEventOf,
      initial: undefined,
      evolve: (_newest: JobEvent['type'] | undefined, event: JobEvent): JobEvent['type'] | undefined =>
        event.type,
    };
    await write.change(newestChange, metadata, (newest) =>
      newest === type ? [] : [{ type, data: { jobId, at: write.now() } }],
    );
  }),

  handles(SendBackupPart, async ({ backupId, part, metadata }, write) => {
    const isBegun = await readNewest(
      write.log,
      () => isBegunBy(write.log, metadata.operatorId, backupId),
      (found) => found,
    );
    if (!isBegun)
      throw new Refusal('not_found', 'You began no such backup: only the operator who began it receives it.');
    await write.record<BackupPartSent>({ stream: streams.backup(backupId) }, metadata, () => [
      { type: 'backup.part_sent', data: { backupId, part, at: write.now() } },
    ]);
  }),
];

async function isBegunBy(log: EventLog, operatorId: string | undefined, backupId: string): Promise<boolean> {
  const recorded = await log.read(streams.network());
  return recorded.some(
    ({ event, metadata }) =>
      event.type === 'network.backup_begun' &&
      event.data.backupId === backupId &&
      metadata.operatorId === operatorId,
  );
}
