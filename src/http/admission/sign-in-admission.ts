import type { Pool } from 'pg';
import { unavailableReason, admissionStateSql } from './unavailable.js';
import type { UnavailableReason, AdmissionState } from './unavailable.js';
import type { RestrictionProof } from './restriction-proof.js';

/** Asks whether anybody may sign in, or use what they were given. */
export class SignInAdmission {
  private running: Promise<unknown> | undefined;
  private next: Promise<string | undefined> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly proof: RestrictionProof,
  ) {}

  /**
   * Why nobody may, at a moment after the call, in words for a person; undefined: they may. Who calls while it is being
   * asked shares the next answer. Rejects if the read store cannot be asked.
   */
  whyClosed(): Promise<string | undefined> {
    this.next ??= this.ask();
    return this.next;
  }

  private async ask(): Promise<string | undefined> {
    await this.running?.catch(() => undefined);
    this.next = undefined;
    const asked = this.pool.query<AdmissionState>({ name: 'sign-in-admission', text: admissionStateSql });
    this.running = asked;
    const { rows } = await asked;
    const [standing] = rows;
    if (!standing) throw new Error('the statement has one row');
    const closed = unavailableReason(standing, this.proof);
    return closed && whyClosed[closed];
  }
}

const whyClosed: Readonly<Record<UnavailableReason, string>> = {
  recovery_quarantined: 'The network is in recovery, and nobody can sign in until it is done.',
  recovery_state_missing: 'The network is being set up, and nobody can sign in until it is done.',
  restriction_witness_unavailable_or_incomplete:
    'It is not proven yet that nothing was taken away that would be there again, and nobody can sign in until it is.',
};
