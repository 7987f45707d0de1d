import type { DomainEvent, Occurrence } from '../event.js';

/** The first fact of a log: which network it is the log of. */
export type NetworkFounded = DomainEvent<'network.founded', { readonly networkId: string } & Occurrence>;

/** A new key is published, and signs ID tokens from `signsFrom` (Unix ms) on. The key itself is in the vault. */
export type SigningKeyRotated = DomainEvent<
  'network.signing_key_rotated',
  { readonly keyId: string; readonly signsFrom: number } & Occurrence
>;

/** Nothing new is published until it is resumed. What takes something away goes on: deletions and blocks above all. */
export type PublishingPaused = DomainEvent<'network.publishing_paused', Occurrence>;

export type PublishingResumed = DomainEvent<'network.publishing_resumed', Occurrence>;

/** An operator began to copy the network aside. The copy of the log has this event, so a restored log says which copy it is. */
export type BackupBegun = DomainEvent<'network.backup_begun', { readonly backupId: string } & Occurrence>;

/** Parts of a backup were put in the place of what was there, while nothing ran. Put down by the start that followed. */
export type NetworkRestored = DomainEvent<
  'network.restored',
  { readonly restoreId: string; readonly backupId: string; readonly parts: readonly string[] } & Occurrence
>;

type OfJob = { readonly jobId: string } & Occurrence;

/** An operator had read models built anew. `names`: of projections; none: every one that answers reads. */
export type RebuildRequested = DomainEvent<
  'network.rebuild_requested',
  { readonly names: readonly string[] } & OfJob
>;

/** An operator led the network out of a quarantine. `reseedsWitness`: what the log has was told to a witness that had lost it. */
export type RecoveryApplied = DomainEvent<
  'network.recovery_applied',
  { readonly reseedsWitness: boolean } & OfJob
>;

/** An operator had the read models published again that were published before. */
export type RecoveryRolledBack = DomainEvent<'network.recovery_rolled_back', OfJob>;
