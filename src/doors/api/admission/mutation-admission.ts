import type { Pool } from 'pg';
import { GroupedRuns } from '../../../base/support/grouped-runs.js';
import type { BoundedClock } from '../../../base/support/bounded-clock.js';
import { isUnreachable } from '../../../base/store/unreachable.js';
import { HttpRefusal } from '../../../server/errors.js';
import { mutationAdmissionSql } from './admission-sql.js';
import { requireAuthority } from './authority.js';
import type { CallerRow } from './authority.js';
import type { Caller } from '../limits/caller.js';
import { NOTHING_WRITTEN, unavailableMessage, unavailableReason } from './unavailable.js';
import type { AdmissionState } from './unavailable.js';
import type { Credential } from './credential.js';
import type { RestrictionProof } from './restriction-proof.js';

export interface MutationRule {
  readonly scope: string;
  readonly publishes: boolean;
}

interface PublisherRow extends CallerRow, AdmissionState {
  readonly publishing_paused: boolean;
  readonly database_now: string;
}

/**
 * Checks for each mutation that the network accepts mutations, that token, grant, account and application are live, and
 * that the grant has the scope. Those that arrive during a statement share the next one.
 */
export class MutationAdmission {
  private readonly found = new GroupedRuns((tokenHashes: readonly Buffer[]) => this.find(tokenHashes));

  constructor(
    private readonly pool: Pool,
    private readonly clock: BoundedClock,
    private readonly proof: RestrictionProof,
  ) {}

  /**
   * Returns the caller.
   * @throws {HttpRefusal} the mutation is refused; `authority_unavailable`: the database of tokens and grants cannot be
   * reached.
   */
  async admit(credential: NonNullable<Credential>, { scope, publishes }: MutationRule): Promise<Caller> {
    const row = await this.found.run(credential.tokenHash);
    const reason = unavailableReason(row, this.proof);
    if (reason) throw new HttpRefusal(reason, unavailableMessage(reason, 'mutation'));
    const caller = requireAuthority(row, scope);
    if (publishes && row.publishing_paused)
      throw new HttpRefusal('publishing_paused', `Publishing is paused for everybody. ${NOTHING_WRITTEN}`);
    return caller;
  }

  /** One statement for all, of one snapshot. */
  private async find(tokenHashes: readonly Buffer[]): Promise<readonly PublisherRow[]> {
    const values = [tokenHashes, this.clock.now()];
    const { rows } = await this.pool
      .query<PublisherRow>({ name: 'mutation-admission', text: mutationAdmissionSql, values })
      .catch((cause: unknown) => {
        if (!isUnreachable(cause)) throw cause;
        const message = 'Your authority cannot be checked now; retry later.';
        throw new HttpRefusal('authority_unavailable', message, { cause });
      });
    const [row] = rows;
    if (row) this.clock.observe(Number(row.database_now));
    return rows;
  }
}
