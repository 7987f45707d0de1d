import type { Pool } from 'pg';
import type { Limit } from '../../config/limit-settings.js';
import type { TrustedProxies } from '../../config/trusted-proxies.js';
import { addressBlock } from '../../limits/address-block.js';
import { isRefused, rateLimitFields } from '../../limits/rate-limit-fields.js';
import type { Fields, QuotaState } from '../../limits/rate-limit-fields.js';
import { LimitsUnavailable, SharedWindow } from '../../limits/shared-window.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Fault, faultOf } from '../protocol/faults.js';
import { handleOf } from './sign-in.js';

/** Whether a password may be looked at, and what the answer says of that. Without limits it says nothing. */
export interface SignInTry {
  readonly allowed: boolean;
  readonly headers: Fields;
}

/** Of each; `off` allows everything. */
export type SignInQuotas = Readonly<Record<Policy, Limit>> | 'off';

/** `sign-up` and `authorization` are of an address, too; `session` is of an account in one browser. */
const policies = ['account', 'address', 'session', 'sign-up', 'authorization'] as const;
type Policy = (typeof policies)[number];

type Windows = Readonly<Record<Policy, SharedWindow>>;

/**
 * How often somebody may try to sign in, on one account and from one address; to prove themselves again where they are
 * signed in; and, from one address, to sign up, or to be asked to sign in or out. All API processes count in one table,
 * where none of these can be read.
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
    this.windows = Object.fromEntries(policies.map((policy) => [policy, window(policy)])) as Record<
      Policy,
      SharedWindow
    >;
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
  takeSignUp(address: string): Promise<SignInTry> {
    return this.takeOne('sign-up', () => this.blockOf(address));
  }

  /**
   * Takes one request to begin a sign-in or a sign-out from the address's budget for that.
   * @throws {Fault} as above; `temporarily_unavailable` where the database is away, without which nothing begins.
   */
  async takeAuthorization(address: string): Promise<SignInTry> {
    try {
      return await this.takeOne('authorization', () => this.blockOf(address));
    } catch (error) {
      const cause = error instanceof Fault ? error.cause : undefined;
      throw cause instanceof LimitsUnavailable && !cause.isServerThere ? faultOf(cause.cause) : error;
    }
  }

  /** Takes one try from the budget of this account in this browser alone. @throws {Fault} `pilot_limits_unavailable` */
  takeSignedIn(browser: SignedInBrowser): Promise<SignInTry> {
    return this.takeOne('session', () => nameOf(browser));
  }

  /** After a success: only what failed counts. The sign-in stands also where the try cannot be given back. */
  async giveBack(handle: string, address: string): Promise<void> {
    const { windows } = this;
    if (!windows) return;
    await this.giveBackTo(
      windows.account.keyOf(handleOf(handle)),
      windows.address.keyOf(this.blockOf(address)),
    );
  }

  /** The same, of {@link takeSignedIn}. */
  async giveBackSignedIn(browser: SignedInBrowser): Promise<void> {
    const { windows } = this;
    if (windows) await this.giveBackTo(windows.session.keyOf(nameOf(browser)));
  }

  private async takeOne(policy: Policy, who: () => string): Promise<SignInTry> {
    const { windows } = this;
    if (!windows) return { allowed: true, headers: {} };
    return answer(windows, [policy], await count(windows, policy, who()));
  }

  private async giveBackTo(...keys: readonly string[]): Promise<void> {
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

/** An account in a browser that it is signed in with. `uid`: of the session. */
export interface SignedInBrowser {
  readonly actorId: string;
  readonly uid: string;
}

const nameOf = ({ actorId, uid }: SignedInBrowser): string => JSON.stringify([actorId, uid]);

const signInPolicies: readonly Policy[] = ['account', 'address'];

function answer(
  windows: Windows,
  policies: readonly Policy[],
  ...standings: readonly QuotaState[]
): SignInTry {
  const named = policies.map((name) => ({ name, limit: windows[name].limit }));
  return { allowed: !standings.some(isRefused), headers: rateLimitFields(named, standings) };
}

async function count(windows: Windows, name: Policy, who: string): Promise<QuotaState> {
  try {
    return { policy: { name, limit: windows[name].limit }, claim: await windows[name].claim(who) };
  } catch (error) {
    if (!(error instanceof LimitsUnavailable)) throw error;
    throw new Fault(503, 'pilot_limits_unavailable', 'Please try again in a few seconds.', { cause: error });
  }
}
