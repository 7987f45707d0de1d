import type { Pool } from 'pg';
import type { Clock } from '../../../base/support/clock.js';
import type { Limit, limits } from '../../../base/config/limit-settings.js';
import type { TrustedProxies } from '../../../base/config/trusted-proxies.js';
import { addressBlock } from '../../../server/limits/address-block.js';
import { apiWindowName, callerLimitKey } from '../../../server/limits/caller-budget.js';
import type { QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { RefusedCredentials } from '../../../server/limits/refused-credentials.js';
import { SharedWindow } from '../../../server/limits/shared-window.js';
import type { Caller } from './caller.js';
import { HttpRefusal } from '../../../server/errors.js';
import { LeasedWindow } from './leased-window.js';

/** Limit that counts an anonymous read: `events` for events and reconcile together, `reads` for all others. */
export type AnonymousBudget = keyof typeof limits.anonymous;

export type ApiQuotas =
  | {
      readonly [Who in 'anonymous' | 'bearer' | 'refused']: {
        readonly [What in keyof (typeof limits)[Who]]: Limit;
      };
    }
  | 'off';

interface Windows {
  readonly anonymous: Readonly<Record<AnonymousBudget, Window>>;
  readonly reads: Window;
  readonly writes: Window;
}

type Window = Pick<SharedWindow, 'limit' | 'consume'>;

/**
 * Limits of reads and writes (docs/api-decisions.md, "Limits"). Each method takes points, one by default, and returns the
 * remaining quota; undefined without limits. Each throws `LimitsUnavailable` if the points cannot be counted.
 */
export class RequestLimits {
  private readonly windows: Windows | undefined;
  readonly refused: RefusedCredentials;

  constructor(
    pool: Pool,
    secret: Buffer,
    clock: Clock,
    private readonly proxies: TrustedProxies,
    quotas: ApiQuotas,
  ) {
    this.refused = new RefusedCredentials(
      pool,
      secret,
      proxies,
      quotas === 'off' ? 'off' : quotas.refused.address,
    );
    if (quotas === 'off') return;
    const shared = (name: string, limit: Limit) =>
      new SharedWindow({ pool, secret, name: apiWindowName(name), limit, isFinal: true });
    const { anonymous, bearer } = quotas;
    this.windows = {
      anonymous: { reads: shared('anonymous', anonymous.reads), events: shared('events', anonymous.events) },
      reads: new LeasedWindow(shared('reads', bearer.reads), clock),
      writes: new LeasedWindow(shared('writes', bearer.writes), clock),
    };
  }

  /**
   * Counts an anonymous read against the block of its client's address.
   * @param nearest `request.ip`.
   * @throws {HttpRefusal} `trusted_address_unavailable`: a trusted proxy did not forward the address of the client.
   */
  async anonymousRead(budget: AnonymousBudget, nearest: string, points = 1): Promise<QuotaState | undefined> {
    if (!this.windows) return undefined;
    const address = this.proxies.connectingAddress(nearest);
    if (address === undefined)
      throw new HttpRefusal(
        'trusted_address_unavailable',
        'The client address is unknown: the proxy in front must forward it.',
      );
    const name = budget === 'reads' ? 'anonymous' : budget;
    return takePoints(name, this.windows.anonymous[budget], addressBlock(address), points);
  }

  async read(caller: Caller, points = 1): Promise<QuotaState | undefined> {
    return this.windows && takePoints('reads', this.windows.reads, callerLimitKey(caller), points);
  }

  async write(caller: Caller): Promise<QuotaState | undefined> {
    return this.windows && takePoints('writes', this.windows.writes, callerLimitKey(caller), 1);
  }
}

/** `granted` is 0 unless all points were left. Those that were left are used up then, too. */
async function takePoints(name: string, window: Window, key: string, points: number): Promise<QuotaState> {
  const consumed = await window.consume(key, points);
  const granted = consumed.granted === points ? points : 0;
  return { policy: { name, limit: window.limit }, consumed: { ...consumed, granted } };
}
