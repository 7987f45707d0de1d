import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limit } from '../../config/limits.js';
import type { TrustedProxies } from '../../config/trusted-proxies.js';
import { isUnreachable } from '../../store/unreachable.js';
import { Fault } from '../protocol/faults.js';
import { addressBlock } from './address-block.js';
import { handleOf } from './sign-in.js';

/** Whether a password may be looked at, and what the answer says of that. Without limits it says nothing. */
export interface SignInTry {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of each; `off` allows everything. */
export type SignInQuotas = Readonly<Record<Policy, Limit>> | 'off';

/** `sign-up` is of an address too. */
type Policy = 'account' | 'address' | 'sign-up';

type Counters = Readonly<Record<Policy, RateLimiterPostgres>>;

/** A policy with what is left of it for one account or address. */
interface Standing {
  readonly policy: Policy;
  readonly allowed: boolean;
  readonly left: number;
  readonly secondsToReset: number;
}

/**
 * How often somebody may try to sign in, on one account and from one address, or up, from one address. All API processes count in one table,
 * where neither can be read. A window begins with its first try, by the clock of the process that took it.
 */
export class SignInLimits {
  private readonly counters: Counters | undefined;

  /** @param key of the network, so that the table's keys say nothing to who reads them. */
  constructor(
    private readonly pool: Pool,
    private readonly key: Buffer,
    private readonly proxies: TrustedProxies,
    quotas: SignInQuotas,
  ) {
    if (quotas === 'off') return;
    this.counters = {
      account: counter(pool, quotas.account),
      address: counter(pool, quotas.address),
      'sign-up': counter(pool, quotas['sign-up']),
    };
  }

  /**
   * Takes one try from the account's budget and one from the address's; from an address that has none left, none of the
   * account's, so that nobody is locked out from there for longer than by the tries that it had.
   * @param handle as typed. @param address `request.ip`.
   * @throws {Fault} `trusted_address_unavailable`, `pilot_limits_unavailable`
   */
  async take(handle: string, address: string): Promise<SignInTry> {
    const { counters } = this;
    if (!counters) return { allowed: true, headers: {} };
    const keys = this.keysOf(handle, address);
    const ofAddress = await count(counters, 'address', keys.address);
    if (!ofAddress.allowed) return answer(counters, signInPolicies, ofAddress);
    return answer(counters, signInPolicies, await count(counters, 'account', keys.account), ofAddress);
  }

  /** Takes one try to sign up from the address's budget for that: signing in goes on untouched. @throws {Fault} as above. */
  async takeSignUp(address: string): Promise<SignInTry> {
    const { counters } = this;
    if (!counters) return { allowed: true, headers: {} };
    return answer(
      counters,
      ['sign-up'],
      await count(counters, 'sign-up', this.keysOf('', address)['sign-up']),
    );
  }

  /** After a success: only what failed counts. The sign-in stands also where the try cannot be given back. */
  async giveBack(handle: string, address: string): Promise<void> {
    if (!this.counters) return;
    const known = this.keysOf(handle, address);
    const keys = signInPolicies.map((policy) => known[policy]);
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

  private keysOf(handle: string, nearest: string): Readonly<Record<Policy, string>> {
    const address = this.proxies.connectingAddress(nearest);
    if (address === undefined)
      throw new Fault(503, 'trusted_address_unavailable', 'It cannot be told where this request comes from.');
    const digest = (policy: Policy, text: string) =>
      createHmac('sha256', this.key).update(`sign-in:${policy}:${text}`).digest('base64url');
    return {
      account: digest('account', handleOf(handle)),
      address: digest('address', addressBlock(address)),
      'sign-up': digest('sign-up', addressBlock(address)),
    };
  }
}

const signInPolicies: readonly Policy[] = ['account', 'address'];

/** Header fields: draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4; RFC 9110, section 10.2.3. */
function answer(
  counters: Counters,
  policies: readonly Policy[],
  ...standings: readonly Standing[]
): SignInTry {
  const refused = standings.find(({ allowed }) => !allowed);
  const inWords = policies.map(
    (policy) => `"${policy}";q=${counters[policy].points};w=${counters[policy].duration}`,
  );
  const left = standings.map((each) => `"${each.policy}";r=${each.left};t=${each.secondsToReset}`);
  return {
    allowed: refused === undefined,
    headers: {
      'ratelimit-policy': inWords.join(', '),
      ratelimit: left.join(', '),
      ...(refused && { 'retry-after': String(refused.secondsToReset) }),
    },
  };
}

async function count(counters: Counters, policy: Policy, key: string): Promise<Standing> {
  const { used, allowed } = await consume(counters[policy], key);
  const secondsToReset = Math.max(1, Math.ceil(used.msBeforeNext / 1000));
  return { policy, allowed, left: used.remainingPoints, secondsToReset };
}

/** The library throws its result where nothing was left. */
async function consume(
  counter: RateLimiterPostgres,
  key: string,
): Promise<{ readonly used: RateLimiterRes; readonly allowed: boolean }> {
  try {
    return { used: await counter.consume(key), allowed: true };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { used: error, allowed: false };
    if (!isUnreachable(error)) throw error;
    throw new Fault(503, 'pilot_limits_unavailable', 'Please try again in a few seconds.', { cause: error });
  }
}

/** One statement a try: of tries at the same moment, on whatever process, each sees another count. */
function counter(pool: Pool, { quota, windowSeconds }: Limit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    schemaName: 'limits',
    tableName: 'used',
    keyPrefix: '',
    points: quota,
    duration: windowSeconds,
    // Made by a migration, swept by ExpiredRecords.
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}
