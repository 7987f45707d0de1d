import { Fault } from '../auth/protocol/faults.js';
import type { PasswordCheck } from '../auth/sign-in/password-check.js';
import { observeCalls } from './observe-calls.js';
import type { Telemetry } from './telemetry.js';

/** Counts the passwords that people entered at the sign-in page and the account page. */
export function observeSignIns(passwords: Pick<PasswordCheck, 'authenticate'>, telemetry: Telemetry): void {
  const { signIns } = telemetry.metrics;
  observeCalls(passwords, 'authenticate', async (_args, run) => {
    try {
      const account = await run();
      signIns.inc({ outcome: account ? 'succeeded' : 'wrong_password' });
      return account;
    } catch (error) {
      signIns.inc({ outcome: outcomeOf(error) });
      throw error;
    }
  });
}

function outcomeOf(error: unknown): 'rate_limited' | 'suspended' | 'failed' {
  const code = error instanceof Fault ? error.code : undefined;
  if (code === 'pilot_rate_limited') return 'rate_limited';
  return code === 'social_authority_required' ? 'suspended' : 'failed';
}
