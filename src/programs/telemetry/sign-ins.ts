import { Fault } from '../../doors/auth/rules/faults.js';
import type { PasswordCheck } from '../../doors/auth/sign-in/password-check.js';
import { observeCalls } from '../../base/telemetry/observe-calls.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';

/** Counts the passwords that people entered at the sign-in page and the account page. */
export function observeSignIns(passwords: Pick<PasswordCheck, 'recognize'>, telemetry: Telemetry): void {
  const { signIns } = telemetry.metrics;
  observeCalls(passwords, 'recognize', async (_args, run) => {
    try {
      const account = await run();
      signIns.inc({ outcome: outcomeFor(account) });
      return account;
    } catch (error) {
      signIns.inc({ outcome: outcomeOf(error) });
      throw error;
    }
  });
}

function outcomeFor(account: { readonly mayAct: boolean } | undefined) {
  if (!account) return 'wrong_password';
  return account.mayAct ? 'succeeded' : 'suspended';
}

const outcomeOf = (error: unknown): 'rate_limited' | 'failed' =>
  error instanceof Fault && error.code === 'pilot_rate_limited' ? 'rate_limited' : 'failed';
