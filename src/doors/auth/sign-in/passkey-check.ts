import type { PasskeyOptions } from '../pages/parts.js';
import type { PersonPasskeys } from '../passkeys/person-passkeys.js';
import type { FormFields, HttpExchange } from '../storage/exchange.js';
import { enforceLimit } from './password-check.js';
import type { SignInResult } from './sign-in.js';
import type { SignInLimits } from './sign-in-limits.js';

export const WRONG_PASSKEY = 'This passkey opens no account here, or was removed. Use your password.';

/** Sign-in by a passkey instead of handle and password. `holder`: of the form (csrf-protection.ts). */
export class PasskeyCheck {
  constructor(
    private readonly passkeys: PersonPasskeys,
    private readonly limits: SignInLimits,
  ) {}

  options(holder: string): Promise<PasskeyOptions> {
    return this.passkeys.signInOptions(holder);
  }

  /**
   * Checks the field `credential`. Returns the account, which may be suspended; undefined if the passkey is nobody's.
   * @throws {Fault} `pilot_rate_limited`. {HttpRefusal} `invalid_request`: it proves nothing.
   */
  async recognize(
    exchange: HttpExchange,
    holder: string,
    { credential = '' }: FormFields,
  ): Promise<SignInResult | undefined> {
    enforceLimit(exchange, await this.limits.takeFactor(exchange.address));
    const recognized = await this.passkeys.recognize(holder, credential);
    if (recognized) await this.limits.refundFactor(exchange.address);
    return recognized;
  }
}
