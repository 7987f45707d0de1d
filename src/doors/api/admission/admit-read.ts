import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import { LimitsUnavailable } from '../../../server/limits/shared-window.js';
import { isUnreachable } from '../../../base/store/unreachable.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { AdmissionRow } from './admission-sql.js';
import { requireAuthority } from './authority.js';
import type { Caller } from '../limits/caller.js';
import { unavailableMessage, unavailableReason } from './unavailable.js';
import type { Credential } from './credential.js';
import type { RestrictionProof } from './restriction-proof.js';

export interface Read<Result> {
  readonly result: Result;
  readonly caller: Caller | undefined;
  readonly incarnation: string;
  readonly revision: number;
}

/**
 * Longest time that a read waits for its required revision. If the read models do not show it by then, the read is
 * refused.
 */
export const MAX_REVISION_WAIT_MS = 2_000;

/**
 * Returns the caller that the row of a read's statement admits; undefined for an anonymous read.
 * @throws {HttpRefusal} the token or its scope is refused, or the network refuses all reads now.
 */
export function admit(
  row: AdmissionRow,
  credential: Credential,
  scope: string | undefined,
  proof: RestrictionProof,
): Caller | undefined {
  // Before the token is judged: a log rollback may have lost facts about tokens as well.
  const reason = unavailableReason(row, proof);
  if (reason) throw new HttpRefusal(reason, unavailableMessage(reason, 'read'));
  return credential && requireAuthority(row, scope);
}

/**
 * Converts the row of an admitted read to its result.
 * @throws {HttpRefusal} `protected_read_unavailable`: the read models do not show the required revision yet.
 */
export function presentRead<Result>(
  row: AdmissionRow,
  caller: Caller | undefined,
  query: Pick<ReadQuery<never, Result>, 'present'>,
): Read<Result> {
  if (!row.fresh || row.incarnation === null)
    throw new HttpRefusal(
      'protected_read_unavailable',
      'The read models have not caught up with the required revision; retry.',
    );
  return {
    result: query.present(row.data),
    caller,
    incarnation: row.incarnation,
    revision: Number(row.applied_position ?? 0),
  };
}

/**
 * True if the read store cannot be reached. Limits are counted there too: if that fails for the same reason, the
 * failure is reported as that of the read.
 */
export const isStoreUnavailable = (cause: unknown): boolean =>
  cause instanceof LimitsUnavailable ? !cause.isServerAvailable : isUnreachable(cause);

export const storeUnavailable = (credential: Credential, cause: unknown): HttpRefusal =>
  new HttpRefusal(
    credential ? 'protected_read_storage_unavailable' : 'pilot_storage_unavailable',
    'The read store cannot be reached; retry later.',
    { cause },
  );
