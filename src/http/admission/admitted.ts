import type { ReadQuery } from '../../../projections/runner/read-query.js';
import { LimitsUnavailable } from '../../limits/shared-window.js';
import { isUnreachable } from '../../store/unreachable.js';
import { HttpRefusal } from '../server/errors.js';
import type { AdmissionRow } from './admission-sql.js';
import { authorityOf } from './authority.js';
import type { Caller } from './authority.js';
import { unavailableReason } from './unavailable.js';
import type { UnavailableReason } from './unavailable.js';
import type { Credential } from './credential.js';
import type { RestrictionProof } from './restriction-proof.js';

/** An answer. `caller`: undefined if anonymous. */
export interface Read<Result> {
  readonly result: Result;
  readonly caller: Caller | undefined;
  readonly incarnation: string;
  /** The position that it shows. */
  readonly revision: number;
}

/** How long a read waits for the read models to show what it must show. */
export const FRESHNESS_MS = 2_000;

/** Who reads; undefined: anonymous. @throws {HttpRefusal} they may not, or nobody may now. */
export function admit(
  row: AdmissionRow,
  credential: Credential,
  scope: string | undefined,
  proof: RestrictionProof,
): Caller | undefined {
  // Before anybody is told what their token is worth: that may have been lost as well.
  const closed = unavailableReason(row, proof);
  if (closed) throw new HttpRefusal(closed, whyClosed[closed]);
  return credential && authorityOf(row, scope);
}

const whyClosed: Readonly<Record<UnavailableReason, string>> = {
  recovery_quarantined: 'The network is in recovery; reads are refused until it is done.',
  recovery_state_missing: 'The network is being set up; retry later.',
  restriction_witness_unavailable_or_incomplete:
    'It is not proven yet that nothing is shown that was taken away; retry later.',
};

/** @throws {HttpRefusal} `protected_read_unavailable`: it would not show all that it has to. */
export function readOf<Result>(
  row: AdmissionRow,
  caller: Caller | undefined,
  query: Pick<ReadQuery<never, Result>, 'present'>,
): Read<Result> {
  if (!row.fresh || row.incarnation === null)
    throw new HttpRefusal(
      'protected_read_unavailable',
      'The answer would not show all that it has to yet; retry.',
    );
  return {
    result: query.present(row.data),
    caller,
    incarnation: row.incarnation,
    revision: Number(row.applied_position ?? 0),
  };
}

/** Counting needs the same server: where it is away the read is impossible too, and that is what is said. */
export const isStoreAway = (cause: unknown): boolean =>
  cause instanceof LimitsUnavailable ? !cause.isServerThere : isUnreachable(cause);

export const unreachableTo = (credential: Credential, cause: unknown): HttpRefusal =>
  new HttpRefusal(
    credential ? 'protected_read_storage_unavailable' : 'pilot_storage_unavailable',
    'The read store cannot be reached; retry later.',
    { cause },
  );
