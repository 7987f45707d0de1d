import type { DomainEvent, EventTime } from '../event.js';

export type NetworkFounded = DomainEvent<'network.founded', { readonly networkId: string } & EventTime>;

export type SigningKeyRotated = DomainEvent<
  'network.signing_key_rotated',
  { readonly keyId: string; readonly signsFrom: number } & EventTime
>;

/**
 * Until {@link PublishingResumed}, nobody creates or edits posts or changes a profile. Deletions and blocks continue.
 */
export type PublishingPaused = DomainEvent<'network.publishing_paused', EventTime>;

export type PublishingResumed = DomainEvent<'network.publishing_resumed', EventTime>;

/** The copy of the log contains this event, so a restored log identifies its backup. */
export type BackupBegun = DomainEvent<'network.backup_begun', { readonly backupId: string } & EventTime>;

export type NetworkRestored = DomainEvent<
  'network.restored',
  { readonly restoreId: string; readonly backupId: string; readonly parts: readonly string[] } & EventTime
>;

/** For good: from now on the shared token is for emergencies alone (src/domain/operator/roles.ts). */
export type SharedTokenLimited = DomainEvent<'network.shared_token_limited', EventTime>;

type JobData = { readonly jobId: string } & EventTime;

/** `names`: the projections to rebuild; empty: every one that answers reads. */
export type RebuildRequested = DomainEvent<
  'network.rebuild_requested',
  { readonly names: readonly string[] } & JobData
>;

/**
 * An operator requested a recovery, which ends a quarantine. `reseedsWitness`: it also gives a lost witness the
 * restrictions of the log.
 */
export type RecoveryApplied = DomainEvent<
  'network.recovery_applied',
  { readonly reseedsWitness: boolean } & JobData
>;

export type RecoveryRolledBack = DomainEvent<'network.recovery_rolled_back', JobData>;
