import type { Pool } from 'pg';
import type { Limit } from '../../../base/config/limit-settings.js';
import type { TrustedProxies } from '../../../base/config/trusted-proxies.js';
import { addressBlock } from '../../../server/limits/address-block.js';
import { isLimitExceeded, rateLimitFields } from '../../../server/limits/rate-limit-fields.js';
import type { HeaderFields, QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { LimitsUnavailable, SharedWindow } from '../../../server/limits/shared-window.js';
import { isUnreachable } from '../../../base/store/unreachable.js';
import { Fault, toFault } from '../rules/faults.js';

export interface LimitDecision {
  readonly allowed: boolean;
  readonly headers: HeaderFields;
}

export type SignInQuotas = Readonly<Record<Policy, Limit>> | 'off';

/**
 * Names of the limits: sign-ins for each account and for each address, password confirmations for each account and
 * browser (`session`), sign-ups, authorization requests and requests for mails for each address. Changes of passkeys count as mails, for each account.
 */
const policies = ['account', 'address', 'session', 'sign-up', 'authorization', 'mail'] as const;
type Policy = (typeof policies)[number];

/**
 * Limits whose points are never refunded: after the last point, this process refuses the address from memory until the
 * window ends.
 */
const finalPolicies: ReadonlySet<Policy> = new Set(['sign-up', 'authorization', 'mail']);

type Windows = Readonly<Record<Policy, SharedWindow>>;

/**
 * Rate limits for sign-in (per account and per address), password confirmation (per account and browser), sign-up,
 * authorization requests and mails (per address). All API processes share one table, whose keys reveal no account or address.
 */
export class SignInLimits {
  private readonly windows: Windows | undefined;

  constructor(
    private readonly pool: Pool,
    secret: Buffer,
    private readonly proxies: TrustedProxies,
    quotas: SignInQuotas,
  ) {
    if (quotas === 'off') return;
    const window = (policy: Policy) =>
      new SharedWindow({
        pool,
        secret,
        name: `sign-in:${policy}`,
        limit: quotas[policy],
        isFinal: finalPolicies.has(policy),
      });
    this.windows = Object.fromEntries(policies.map((policy) => [policy, window(policy)])) as Record<
      Policy,
      SharedWindow
    >;
  }

  /**
   * Takes one try from the address's quota, then one from the account's. An exhausted address takes none from the
   * account, which limits how long that address can lock a person out.
   * @param tries the name under which they count: see known-browsers.ts
   * @param address `request.ip`
   * @throws {Fault} `trusted_address_unavailable`, `pilot_limits_unavailable`
   */
  async takeSignIn(tries: string, address: string): Promise<LimitDecision> {
    const { windows } = this;
    if (!windows) return { allowed: true, headers: {} };
    const addressState = await count(windows, 'address', this.blockOf(address));
    if (isLimitExceeded(addressState)) return answer(windows, signInPolicies, addressState);
    return answer(windows, signInPolicies, await count(windows, 'account', tries), addressState);
  }

  /**
   * Takes one try by a passkey or a recovery code from the address's quota alone: they cannot be guessed, so nobody may use up
   * the tries of an account by them.
   */
  takeFactor(address: string): Promise<LimitDecision> {
    return this.takeOne('address', () => this.blockOf(address));
  }

  takeSignUp(address: string): Promise<LimitDecision> {
    return this.takeOne('sign-up', () => this.blockOf(address));
  }

  takeMail(address: string): Promise<LimitDecision> {
    return this.takeOne('mail', () => this.blockOf(address));
  }

  /** Takes one mail from a quota of the account, which no other person uses up. */
  takeMailOf(actorId: string): Promise<LimitDecision> {
    return this.takeOne('mail', () => actorId);
  }

  /**
   * Takes one try from the address's quota to start or resume a sign-in, to show its pages, or to start a sign-out.
   * @throws {Fault} as {@link takeSignIn}; `temporarily_unavailable` if the database is down, since starting needs it anyway
   */
  async takeAuthorization(address: string): Promise<LimitDecision> {
    try {
      return await this.takeOne('authorization', () => this.blockOf(address));
    } catch (error) {
      const cause = error instanceof Fault ? error.cause : undefined;
      throw cause instanceof LimitsUnavailable && !cause.isServerAvailable ? toFault(cause.cause) : error;
    }
  }

  /** Takes one try from the quota of this account in this browser. @throws {Fault} `pilot_limits_unavailable` */
  takePasswordConfirmation(browser: SignedInBrowser): Promise<LimitDecision> {
    return this.takeOne('session', () => keyOfBrowser(browser));
  }

  /**
   * Refunds a successful try, so that only failures count. A refund that fails because the database is unreachable does
   * not fail the sign-in.
   */
  async refundSignIn(tries: string, address: string): Promise<void> {
    const { windows } = this;
    if (!windows) return;
    await this.refund(windows.account.keyOf(tries), windows.address.keyOf(this.blockOf(address)));
  }

  async refundFactor(address: string): Promise<void> {
    const { windows } = this;
    if (windows) await this.refund(windows.address.keyOf(this.blockOf(address)));
  }

  async refundPasswordConfirmation(browser: SignedInBrowser): Promise<void> {
    const { windows } = this;
    if (windows) await this.refund(windows.session.keyOf(keyOfBrowser(browser)));
  }

  private async takeOne(policy: Policy, keyOf: () => string): Promise<LimitDecision> {
    const { windows } = this;
    if (!windows) return { allowed: true, headers: {} };
    return answer(windows, [policy], await count(windows, policy, keyOf()));
  }

  private async refund(...keys: readonly string[]): Promise<void> {
    try {
      // The library's `reward` would start a new window with a negative count if the last one has just ended.
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
      throw new Fault(
        503,
        'trusted_address_unavailable',
        'The address of the client is unknown. Tell the operator: the proxy in front must send it.',
      );
    return addressBlock(address);
  }
}

export interface SignedInBrowser {
  readonly actorId: string;
  readonly uid: string;
}

const keyOfBrowser = ({ actorId, uid }: SignedInBrowser): string => JSON.stringify([actorId, uid]);

const signInPolicies: readonly Policy[] = ['account', 'address'];

function answer(
  windows: Windows,
  policies: readonly Policy[],
  ...states: readonly QuotaState[]
): LimitDecision {
  const named = policies.map((name) => ({ name, limit: windows[name].limit }));
  return { allowed: !states.some(isLimitExceeded), headers: rateLimitFields(named, states) };
}

async function count(windows: Windows, name: Policy, key: string): Promise<QuotaState> {
  try {
    return { policy: { name, limit: windows[name].limit }, consumed: await windows[name].consume(key) };
  } catch (error) {
    if (!(error instanceof LimitsUnavailable)) throw error;
    throw new Fault(
      503,
      'pilot_limits_unavailable',
      'Sign-in limits cannot be checked. Please try again in a few seconds.',
      { cause: error },
    );
  }
}
