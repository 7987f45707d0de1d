import type { Pool } from 'pg';
import type { Clock } from '../../commands/support/ambient.js';
import { isUnreachable } from '../../store/unreachable.js';
import { HttpRefusal } from '../server/errors.js';
import { publisherSql } from './admission-sql.js';
import { authorityOf } from './authority.js';
import type { Caller, CallerRow } from './authority.js';
import { unavailableReason } from './unavailable.js';
import type { UnavailableReason, AdmissionState } from './unavailable.js';
import type { Credential } from './credential.js';
import type { RestrictionProof } from './restriction-proof.js';

/** What a mutation needs. */
export interface MutationRule {
  readonly scope: string;
  /** It publishes something, and so waits while publishing is paused. */
  readonly publishes: boolean;
}

interface PublisherRow extends CallerRow, AdmissionState {
  readonly publishing_paused: boolean;
}

const AGAIN = 'This request wrote nothing; retry it later with the same intentId.';
const whyClosed: Readonly<Record<UnavailableReason, string>> = {
  // In a log that may have lost something nobody can tell what is there to be deleted, blocked or taken back.
  recovery_quarantined: `The network is in recovery. ${AGAIN}`,
  recovery_state_missing: `The network is being set up. ${AGAIN}`,
  restriction_witness_unavailable_or_incomplete: `It is not proven yet who may do what. ${AGAIN}`,
};

/** Asks, at the moment of the request, whether a token, its grant, actor and application are live and have a scope. */
export class MutationAdmission {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly proof: RestrictionProof,
  ) {}

  /** @throws {HttpRefusal} why not; `authority_unavailable` if nobody can tell. */
  async admit(credential: NonNullable<Credential>, { scope, publishes }: MutationRule): Promise<Caller> {
    const row = await this.find(credential.tokenHash);
    const closed = unavailableReason(row, this.proof);
    if (closed) throw new HttpRefusal(closed, whyClosed[closed]);
    const caller = authorityOf(row, scope);
    if (publishes && row.publishing_paused)
      throw new HttpRefusal('publishing_paused', `Publishing is paused for everybody. ${AGAIN}`);
    return caller;
  }

  private async find(tokenHash: Buffer): Promise<PublisherRow> {
    const values = [tokenHash, this.clock.now()];
    const { rows } = await this.pool
      .query<PublisherRow>({ name: 'mutation-admission', text: publisherSql, values })
      .catch((cause: unknown) => {
        if (!isUnreachable(cause)) throw cause;
        const why = 'Your authority cannot be checked now; retry later.';
        throw new HttpRefusal('authority_unavailable', why, { cause });
      });
    const [row] = rows;
    if (!row) throw new Error('the statement has one row');
    return row;
  }
}
