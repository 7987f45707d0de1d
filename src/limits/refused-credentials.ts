import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Limit } from '../config/limit-settings.js';
import type { TrustedProxies } from '../config/trusted-proxies.js';
import { addressBlock } from './address-block.js';
import type { QuotaState } from './rate-limit-fields.js';
import { LimitsUnavailable, SharedWindow } from './shared-window.js';

/** Addresses that are remembered as having used up their budget. Whoever is forgotten is counted once more. */
const MOST_ADDRESSES = 10_000;
/** Credentials that are remembered as good, and for how long: as a token lives. Some megabytes. */
const MOST_GOOD = 20_000;
const GOOD_MS = 300_000;
const POLICY = 'refused';

/**
 * How many credentials of an address may be refused. To look one up is a query each, whoever sends it, and whoever is
 * refused has no other budget. Once it is used up, this process looks nothing up for the address until the window ends, but
 * for credentials that it has found good lately: whoever shares an address with an attacker goes on.
 */
export class RefusedCredentials {
  private readonly window: SharedWindow | undefined;
  private readonly good = new LRUCache<string, true>({ max: MOST_GOOD, ttl: GOOD_MS });
  private readonly usedUp = new LRUCache<string, true>({ max: MOST_ADDRESSES, ttlResolution: 0 });

  /** @param secret of the network, see `SharedWindow`. */
  constructor(
    pool: Pool,
    secret: Buffer,
    private readonly proxies: TrustedProxies,
    limit: Limit | 'off',
  ) {
    if (limit !== 'off') this.window = new SharedWindow({ pool, secret, name: POLICY, limit, isFinal: true });
  }

  /**
   * Asked before a credential is looked up. Undefined: it may be.
   * @param nearest `request.ip`. @param hash of the credential.
   */
  standingOf(nearest: string, hash: Buffer): QuotaState | undefined {
    const address = this.blockOf(nearest);
    if (!this.window || address === undefined || !this.usedUp.has(address)) return undefined;
    if (this.good.has(nameOf(hash))) return undefined;
    const claim = { granted: 0, left: 0, msToReset: this.usedUp.getRemainingTTL(address) };
    return { policy: { name: POLICY, limit: this.window.limit }, claim };
  }

  /** Remembers one that was not refused. */
  remember(hash: Buffer): void {
    if (this.window) this.good.set(nameOf(hash), true);
  }

  /**
   * Counts one that was refused. It stays refused also where that cannot be counted, or nobody can tell whose address it is: a
   * live credential needs no address.
   */
  async count(nearest: string): Promise<void> {
    const address = this.blockOf(nearest);
    if (!this.window || address === undefined) return;
    try {
      const claim = await this.window.claim(address);
      if (claim.left === 0) this.usedUp.set(address, true, { ttl: Math.max(1, claim.msToReset) });
    } catch (error) {
      if (!(error instanceof LimitsUnavailable)) throw error;
    }
  }

  private blockOf(nearest: string): string | undefined {
    const address = this.proxies.connectingAddress(nearest);
    return address === undefined ? undefined : addressBlock(address);
  }
}

const nameOf = (hash: Buffer): string => hash.toString('base64');
