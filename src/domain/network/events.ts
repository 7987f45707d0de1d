import { z } from 'zod';
import { event, id, inData, omitted, time } from '../event.js';
import type { EventIn } from '../event.js';

const job = { jobId: omitted(id) };
const nothing = event({});

export const networkEvents = {
  'network.founded': event({ networkId: omitted(id) }),
  'network.signing_key_rotated': event({ keyId: omitted(id), signsFrom: inData(time) }),
  /**
   * Until {@link PublishingResumed}, nobody creates or edits posts or changes a profile. Deletions and blocks continue.
   */
  'network.publishing_paused': nothing,
  'network.publishing_resumed': nothing,
  /** The copy of the log contains this event, so a restored log identifies its backup. */
  'network.backup_begun': event({ backupId: omitted(id) }),
  'network.restored': event({
    restoreId: omitted(id),
    backupId: omitted(id),
    parts: inData(z.array(z.string())),
  }),
  /** For good: from now on the shared token is for emergencies alone (src/domain/operator/roles.ts). */
  'network.shared_token_limited': nothing,
  /** `names`: the projections to rebuild; empty: every one that answers reads. */
  'network.rebuild_requested': event({ ...job, names: inData(z.array(z.string())) }),
  /**
   * An operator requested a recovery, which ends a quarantine. `reseedsWitness`: it also gives a lost witness the
   * restrictions of the log.
   */
  'network.recovery_applied': event({ ...job, reseedsWitness: inData(z.boolean()) }),
  'network.recovery_rolled_back': event(job),
};

export type NetworkFounded = EventIn<typeof networkEvents, 'network.founded'>;
export type SigningKeyRotated = EventIn<typeof networkEvents, 'network.signing_key_rotated'>;
export type PublishingPaused = EventIn<typeof networkEvents, 'network.publishing_paused'>;
export type PublishingResumed = EventIn<typeof networkEvents, 'network.publishing_resumed'>;
export type BackupBegun = EventIn<typeof networkEvents, 'network.backup_begun'>;
export type NetworkRestored = EventIn<typeof networkEvents, 'network.restored'>;
export type SharedTokenLimited = EventIn<typeof networkEvents, 'network.shared_token_limited'>;
export type RebuildRequested = EventIn<typeof networkEvents, 'network.rebuild_requested'>;
export type RecoveryApplied = EventIn<typeof networkEvents, 'network.recovery_applied'>;
export type RecoveryRolledBack = EventIn<typeof networkEvents, 'network.recovery_rolled_back'>;
