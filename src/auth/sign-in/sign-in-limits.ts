import type { Pool } from 'pg';
import type { Limit } from '../../config/limits.js';
import type { TrustedProxies } from '../../config/trusted-proxies.js';
import { addressBlock } from '../../limits/address-block.js';
import { isRefused, rateLimitFields } from '../../limits/rate-limit-fields.js';
import type { Fields, Standing } from '../../limits/rate-limit-fields.js';
import { LimitsUnavailable, SharedWindow } from '../../limits/shared-window.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Fault } from '../protocol/faults.js';
import { handleOf } from './sign-in.js';

/** Whether a password may be looked at, and what the answer says of that. Without limits it says nothing. */
export interface SignInTry {
  readonly allowed: boolean;
  readonly headers: Fields;
}

/** Of each; `off` allows everything. */
export type SignInQuotas = Readonly<Record<Policy, Limit>> | 'off';

/** `sign-up` is of an address too. */
type Policy = 'account' | 'address' | 'sign-up';

type Windows = Readonly<Record<Policy, SharedWindow>>;

/**
 * How often somebody may try to sign in, on one account and from one address, or up, from one address. All API processes count in one table,
 * where neither can be read.
 */
export class SignInLimits {
  private readonly windows: Windows | undefined;

  /** @param secret of the network, see `SharedWindow`. */
  constructor(
    private readonly pool: Pool,
    secret: Buffer,
    private readonly proxies: TrustedProxies,
    quotas: SignInQuotas,
  ) {
    if (quotas === 'off') return;
    // Not final: what was successful is given back.
    const window = (policy: Policy) =>
      new SharedWindow({ pool, secret, name: `sign-in:${policy}`, limit: quotas[policy], isFinal: false });
    this.windows = { account: window('account'), address: window('address'), 'sign-up': window('sign-up') };
  }

  /**
   * Takes one try from the account's budget and one from the address's; from an address that has none left, none of the
   * account's, so that nobody is locked out from there for longer than by the tries that it had.
   * @param handle as typed. @param address `request.ip`.
   * @throws {Fault} `trusted_address_unavailable`, `pilot_limits_unavailable`
   */
  async take(handle: string, address: string): Promise<SignInTry> {
    const { windows } = this;
    if (!windows) return { allowed: true, headers: {} };
    const ofAddress = await count(windows, 'address', this.blockOf(address));
    if (isRefused(ofAddress)) return answer(windows, signInPolicies, ofAddress);
    return answer(windows, signInPolicies, await count(windows, 'account', handleOf(handle)), ofAddress);
  }

  /** Takes one try to sign up from the address's budget for that: signing in goes on untouched. @throws {Fault} as above. */
  async takeSignUp(address: string): Promise<SignInTry> {
    const { windows } = this;
    if (!windows) return { allowed: true, headers: {} };
    return answer(windows, ['sign-up'], await count(windows, 'sign-up', this.blockOf(address)));
  }

  /** After a success: only what failed counts. The sign-in stands also where the try cannot be given back. */
  async giveBack(handle: string, address: string): Promise<void> {
    const { windows } = this;
    if (!windows) return;
    const keys = [windows.account.keyOf(handleOf(handle)), windows.address.keyOf(this.blockOf(address))];
    try {
      // Not the library's `reward`, which would begin a window below nothing where the last one has just ended.
      await this.pool.query(
        'UPDATE limits.used SET points = points - 1 WHERE key = ANY ($1) AND points > 0 AND expire > $2',
        [keys, Date.now()],
      );
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }

  private blockOf(nearest: string): string {
    const address = this.proxies.connectingAddress(nearest);
    if (address === undefined)
      throw new Fault(503, 'trusted_address_unavailable', 'It cannot be told where this request comes from.');
    return addressBlock(address);
  }
}

const signInPolicies: readonly Policy[] = ['account', 'address'];

function answer(windows: Windows, policies: readonly Policy[], ...standings: readonly Standing[]): SignInTry {
  const named = policies.map((name) => ({ name, limit: windows[name].limit }));
  return { allowed: !standings.some(isRefused), headers: rateLimitFields(named, standings) };
}

async function count(windows: Windows, name: Policy, who: string): Promise<Standing> {
  try {
    return { policy: { name, limit: windows[name].limit }, claim: await windows[name].claim(who) };
  } catch (error) {
    if (!(error instanceof LimitsUnavailable)) throw error;
    throw new Fault(503, 'pilot_limits_unavailable', 'Please try again in a few seconds.', { cause: error });
  }
}
