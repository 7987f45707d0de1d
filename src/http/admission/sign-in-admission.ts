import type { Pool } from 'pg';
import { unavailableReason, admissionStateSql } from './unavailable.js';
import type { UnavailableReason, AdmissionState } from './unavailable.js';
import type { RestrictionProof } from './restriction-proof.js';

export class SignInAdmission {
  private running: Promise<unknown> | undefined;
  private next: Promise<string | undefined> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly proof: RestrictionProof,
  ) {}

  /**
   * Returns a message for a person while nobody may sign in or use a token; undefined otherwise. Concurrent calls
   * share the next statement. Rejects if the read store cannot be reached.
   */
  unavailableMessage(): Promise<string | undefined> {
    this.next ??= this.ask();
    return this.next;
  }

  private async ask(): Promise<string | undefined> {
    await this.running?.catch(() => undefined);
    this.next = undefined;
    const query = this.pool.query<AdmissionState>({ name: 'sign-in-admission', text: admissionStateSql });
    this.running = query;
    const { rows } = await query;
    const [state] = rows;
    if (!state) throw new Error('the admission statement returned no row');
    const reason = unavailableReason(state, this.proof);
    return reason && unavailableMessages[reason];
  }
}

const unavailableMessages: Readonly<Record<UnavailableReason, string>> = {
  recovery_quarantined:
    'The network is in recovery. Sign-in is unavailable until recovery ends; try again later.',
  recovery_state_missing:
    'The network is being set up. Sign-in is unavailable until it is ready; try again later.',
  restriction_witness_unavailable_or_incomplete:
    'Sign-in is unavailable until the consistency check completes; try again in a moment.',
};
