import type { ErrorCode } from '../server/errors.js';
import type { RestrictionProof } from './restriction-proof.js';

/** What says whether anybody may be shown or do anything. */
export interface AdmissionState {
  /** Null: nothing is published. */
  readonly status: 'serving' | 'quarantined' | null;
  readonly witness_epoch: string | null;
  /** Who may act is not derived yet from the log as it is since a restore, or a recovery. */
  readonly deriving: boolean;
}

/** A scalar: {@link AdmissionState.deriving}. */
export const authorityRebuildSql = 'EXISTS (SELECT FROM authority.deriving)';

/** One row: the {@link AdmissionState}. */
export const admissionStateSql = `
  SELECT publication.status, incarnation.witness_epoch, ${authorityRebuildSql} AS deriving
  FROM (VALUES (1)) AS one
  LEFT JOIN (recovery.publication JOIN recovery.incarnation USING (incarnation)) ON true`;

/**
 * Why nobody may be shown or do anything, whoever it is: what was taken away from them might be there again (recovery.md,
 * "Admission of a read"). Undefined: everybody may what they may.
 */
export function unavailableReason(
  { status, witness_epoch: epoch, deriving }: AdmissionState,
  proof: RestrictionProof,
): UnavailableReason | undefined {
  if (status === 'quarantined') return 'recovery_quarantined';
  if (deriving) return 'recovery_state_missing';
  if (proof.unprovenFor(epoch === null ? undefined : BigInt(epoch)) === undefined) return undefined;
  return status === null ? 'recovery_state_missing' : 'restriction_witness_unavailable_or_incomplete';
}

export type UnavailableReason = Extract<
  ErrorCode,
  'recovery_quarantined' | 'recovery_state_missing' | 'restriction_witness_unavailable_or_incomplete'
>;
