import { Fault } from '../rules/faults.js';
import type { HttpExchange, FormFields } from '../storage/exchange.js';
import type { KnownBrowsers } from '../storage/known-browsers.js';
import type { LocalSignIn } from './local.strategy.js';
import { normalizeHandle, requireActive } from './sign-in.js';
import type { SignInResult } from './sign-in.js';
import type { SignInLimits, LimitDecision } from './sign-in-limits.js';
import type { WrongPasswords } from '../storage/wrong-passwords.js';

export class PasswordCheck {
  constructor(
    private readonly local: LocalSignIn,
    private readonly limits: SignInLimits,
    private readonly knownBrowsers: KnownBrowsers,
    private readonly wrongPasswords: WrongPasswords,
  ) {}

  /**
   * As {@link recognize}, for a sign-in that a suspended person has no right to.
   * @throws {Fault} `pilot_rate_limited`; `social_authority_required` for a suspended account, after a correct password
   */
  async authenticate(exchange: HttpExchange, fields: FormFields): Promise<SignInResult | undefined> {
    const recognized = await this.recognize(exchange, fields);
    if (recognized) requireActive(recognized);
    return recognized;
  }

  /**
   * Checks the fields `handle` and `password`. Returns the account, which may be suspended; undefined if they do not
   * match.
   * @throws {Fault} `pilot_rate_limited`
   */
  async recognize(exchange: HttpExchange, fields: FormFields): Promise<SignInResult | undefined> {
    const { handle: typed = '', password = '' } = fields;
    const handle = normalizeHandle(typed);
    const tries = await this.knownBrowsers.nameOfTries(exchange, handle);
    enforceLimit(exchange, await this.limits.takeSignIn(tries, exchange.address));
    const recognized = await this.local.authenticate({ handle: typed, password });
    if (recognized) await this.limits.refundSignIn(tries, exchange.address);
    else this.wrongPasswords.count(handle);
    return recognized;
  }
}

/** Sets the rate-limit headers. @throws {Fault} `pilot_rate_limited`: the quota is exhausted. */
export function enforceLimit(
  { response }: Pick<HttpExchange, 'response'>,
  { allowed, headers }: LimitDecision,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (allowed) return;
  const minutes = Math.ceil(Number(headers['retry-after'] ?? 60) / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  throw new Fault(429, 'pilot_rate_limited', `Please wait ${wait} before you try again.`);
}
