import { z } from 'zod';
import { event, id, inData, omitted } from '../event.js';
import type { EventIn } from '../event.js';

export const backupEvents = {
  /** A part of a backup is about to be sent to the operator who began the backup. */
  'backup.part_sent': event({ backupId: omitted(id), part: inData(z.string()) }),
};

export type BackupPartSent = EventIn<typeof backupEvents>;
