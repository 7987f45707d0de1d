import { Fault } from '../protocol/faults.js';
import type { Exchange, Fields } from './exchange.js';
import type { LocalSignIn } from './local.strategy.js';
import type { Proven } from './sign-in.js';
import type { SignInLimits, SignInTry } from './sign-in-limits.js';

/** Whether a form's handle and password belong together, within the limits. */
export class PasswordCheck {
  constructor(
    private readonly local: LocalSignIn,
    private readonly limits: SignInLimits,
  ) {}

  /**
   * Fields `handle` and `password`. Undefined: they do not belong together.
   * @throws {Fault} 429 `pilot_rate_limited`; 403 `social_authority_required`, which only who knows the password is told.
   */
  async recognize(exchange: Exchange, fields: Fields): Promise<Proven | undefined> {
    const { handle = '', password = '' } = fields;
    admit(exchange, await this.limits.take(handle, exchange.address));
    const recognized = await this.local.authenticate({ handle, password });
    if (!recognized) return undefined;
    if (!recognized.mayAct)
      throw new Fault(403, 'social_authority_required', 'This account is suspended by the network.');
    await this.limits.giveBack(handle, exchange.address);
    return recognized;
  }
}

/** Says on the answer what is left. @throws {Fault} `pilot_rate_limited`: nothing is. */
export function admit({ response }: Pick<Exchange, 'response'>, { allowed, headers }: SignInTry): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (allowed) return;
  const minutes = Math.ceil(Number(headers['retry-after'] ?? 60) / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  throw new Fault(429, 'pilot_rate_limited', `Please wait ${wait} before you try again.`);
}
