import type { DomainEvent, Occurrence } from '../event.js';

export type NetworkFounded = DomainEvent<'network.founded', { readonly networkId: string } & Occurrence>;

export type SigningKeyRotated = DomainEvent<
  'network.signing_key_rotated',
  { readonly keyId: string; readonly signsFrom: number } & Occurrence
>;

/** Restrictions such as deletions and blocks continue while publishing is paused. */
export type PublishingPaused = DomainEvent<'network.publishing_paused', Occurrence>;

export type PublishingResumed = DomainEvent<'network.publishing_resumed', Occurrence>;

/** The copy of the log contains this event, so a restored log identifies its backup. */
export type BackupBegun = DomainEvent<'network.backup_begun', { readonly backupId: string } & Occurrence>;

export type NetworkRestored = DomainEvent<
  'network.restored',
  { readonly restoreId: string; readonly backupId: string; readonly parts: readonly string[] } & Occurrence
>;

type JobData = { readonly jobId: string } & Occurrence;

/** `names`: projections; empty: every one that answers reads. */
export type RebuildRequested = DomainEvent<
  'network.rebuild_requested',
  { readonly names: readonly string[] } & JobData
>;

/** Ends a quarantine. `reseedsWitness`: the recovery gave a lost witness the restrictions of the log. */
export type RecoveryApplied = DomainEvent<
  'network.recovery_applied',
  { readonly reseedsWitness: boolean } & JobData
>;

export type RecoveryRolledBack = DomainEvent<'network.recovery_rolled_back', JobData>;
