import type { Pool } from 'pg';
import { SharedRuns } from '../../../base/support/grouped-runs.js';
import { admissionStateSql, unavailableMessage, unavailableReason } from './unavailable.js';
import type { AdmissionState } from './unavailable.js';
import type { RestrictionProof } from './restriction-proof.js';

export class SignInAdmission {
  private readonly runs = new SharedRuns(() => this.ask());

  constructor(
    private readonly pool: Pool,
    private readonly proof: RestrictionProof,
  ) {}

  /**
   * Returns a message for a person while nobody may sign in or use a token; undefined otherwise. Concurrent calls
   * share the next statement. Rejects if the read store cannot be reached.
   */
  unavailableMessage(): Promise<string | undefined> {
    return this.runs.run();
  }

  private async ask(): Promise<string | undefined> {
    const { rows } = await this.pool.query<AdmissionState>({
      name: 'sign-in-admission',
      text: admissionStateSql,
    });
    const [state] = rows;
    if (!state) throw new Error('the statement that checks if sign-in is available returned no row');
    const reason = unavailableReason(state, this.proof);
    return reason && unavailableMessage(reason, 'signIn');
  }
}
