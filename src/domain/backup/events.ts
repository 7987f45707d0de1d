import type { DomainEvent, EventTime } from '../event.js';

/** A part of a backup is about to be sent to the operator who began the backup. */
export type BackupPartSent = DomainEvent<
  'backup.part_sent',
  { readonly backupId: string; readonly part: string } & EventTime
>;
