import type { ErrorCode } from '../errors.js';
import type { RestrictionProof } from './restriction-proof.js';

/** Of the recovery state, what says whether anybody may be shown or do anything. All null: nothing is published. */
export interface Standing {
  readonly status: 'serving' | 'quarantined' | null;
  readonly witness_epoch: string | null;
}

export const standingSql = `
  SELECT publication.status, incarnation.witness_epoch
  FROM recovery.publication JOIN recovery.incarnation USING (incarnation)`;

/**
 * Why nobody may be shown or do anything, whoever it is: what was taken away from them might be there again (recovery.md,
 * "Admission of a read"). Undefined: everybody may what they may.
 */
export function closedBy(
  { status, witness_epoch: epoch }: Standing,
  proof: RestrictionProof,
): Closed | undefined {
  if (status === 'quarantined') return 'recovery_quarantined';
  if (proof.unprovenFor(epoch === null ? undefined : BigInt(epoch)) === undefined) return undefined;
  return status === null ? 'recovery_state_missing' : 'restriction_witness_unavailable_or_incomplete';
}

export type Closed = Extract<
  ErrorCode,
  'recovery_quarantined' | 'recovery_state_missing' | 'restriction_witness_unavailable_or_incomplete'
>;
