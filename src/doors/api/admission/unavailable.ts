import type { ErrorCode } from '../../../server/errors.js';
import type { RestrictionProof } from './restriction-proof.js';

export interface AdmissionState {
  readonly status: 'serving' | 'quarantined' | null;
  readonly witness_epoch: string | null;
  /** True while the authority store is rebuilt after a restore or recovery. */
  readonly deriving: boolean;
}

export const authorityRebuildSql = 'EXISTS (SELECT FROM authority.deriving)';

export const admissionStateSql = `
  SELECT publication.status, incarnation.witness_epoch, ${authorityRebuildSql} AS deriving
  FROM (VALUES (1)) AS one
  LEFT JOIN (recovery.publication JOIN recovery.incarnation USING (incarnation)) ON true`;

/**
 * Returns why the network refuses every request: a restriction might be missing (docs/adr/0011-the-witness.md).
 * Undefined: requests are admitted or refused one by one.
 */
export function unavailableReason(
  { status, witness_epoch: epoch, deriving }: AdmissionState,
  proof: RestrictionProof,
): UnavailableReason | undefined {
  if (status === 'quarantined') return 'recovery_quarantined';
  if (deriving) return 'recovery_state_missing';
  if (proof.unavailableReason(epoch === null ? undefined : BigInt(epoch)) === undefined) return undefined;
  return status === null ? 'recovery_state_missing' : 'restriction_witness_unavailable_or_incomplete';
}

export type UnavailableReason = Extract<
  ErrorCode,
  'recovery_quarantined' | 'recovery_state_missing' | 'restriction_witness_unavailable_or_incomplete'
>;

export const NOTHING_WRITTEN = 'This request wrote nothing; retry it later with the same intentId.';

const states: Readonly<Record<UnavailableReason, string>> = {
  // A log that may have lost events cannot show which post, block or grant still exists.
  recovery_quarantined: 'The network is in recovery.',
  recovery_state_missing: 'The network is being set up.',
  restriction_witness_unavailable_or_incomplete:
    'Access cannot be verified until the consistency check completes.',
};

const advice = {
  read: 'Retry later.',
  mutation: NOTHING_WRITTEN,
  signIn: 'Sign-in is unavailable for now; please try again later.',
};

/**
 * Message to the sender of a refused request: the state of the network, then advice for a read, a mutation or a
 * sign-in.
 */
export const unavailableMessage = (reason: UnavailableReason, request: keyof typeof advice): string =>
  `${states[reason]} ${advice[request]}`;
