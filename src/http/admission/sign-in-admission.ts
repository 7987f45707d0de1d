import type { Pool } from 'pg';
import { closedBy, standingSql } from './closed.js';
import type { Closed, Standing } from './closed.js';
import type { RestrictionProof } from './restriction-proof.js';

/**
 * Asks whether anybody may sign in, or use what they were given, at the moment of the request. Rejects if the read store
 * cannot be asked.
 */
export class SignInAdmission {
  constructor(
    private readonly pool: Pool,
    private readonly proof: RestrictionProof,
  ) {}

  /** Why nobody may, in words for a person; undefined: they may. */
  async whyClosed(): Promise<string | undefined> {
    const { rows } = await this.pool.query<Standing>({ name: 'sign-in-admission', text: standingSql });
    const closed = closedBy(rows[0] ?? { status: null, witness_epoch: null }, this.proof);
    return closed && whyClosed[closed];
  }
}

const whyClosed: Readonly<Record<Closed, string>> = {
  recovery_quarantined: 'The network is in recovery, and nobody can sign in until it is done.',
  recovery_state_missing: 'The network is being set up, and nobody can sign in until it is done.',
  restriction_witness_unavailable_or_incomplete:
    'It is not proven yet that nothing was taken away that would be there again, and nobody can sign in until it is.',
};
