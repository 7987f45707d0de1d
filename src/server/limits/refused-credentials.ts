import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Limit } from '../../base/config/limit-settings.js';
import type { TrustedProxies } from '../../base/config/trusted-proxies.js';
import { addressBlock } from './address-block.js';
import type { QuotaState } from './rate-limit-fields.js';
import { LimitsUnavailable, SharedWindow } from './shared-window.js';

const MAX_ADDRESSES = 10_000;
const MAX_ACCEPTED = 20_000;
const ACCEPTED_MS = 300_000;
const POLICY = 'refused';

/**
 * Limits the refused credentials of an address. Each lookup costs a query, and no other budget covers a refused client.
 * After the limit, this process looks nothing up for the address until the window ends. Recently accepted credentials
 * are exempt: clients who share an address with an attacker continue.
 */
export class RefusedCredentials {
  private readonly window: SharedWindow | undefined;
  private readonly accepted = new LRUCache<string, true>({ max: MAX_ACCEPTED, ttl: ACCEPTED_MS });
  private readonly exhausted = new LRUCache<string, true>({ max: MAX_ADDRESSES, ttlResolution: 0 });

  constructor(
    pool: Pool,
    secret: Buffer,
    private readonly proxies: TrustedProxies,
    limit: Limit | 'off',
  ) {
    if (limit !== 'off') this.window = new SharedWindow({ pool, secret, name: POLICY, limit, isFinal: true });
  }

  /**
   * Returns the used-up quota if the lookup of a credential must be refused; undefined if it is allowed.
   * @param nearest `request.ip`. @param hash of the credential.
   */
  quotaStateOf(nearest: string, hash: Buffer): QuotaState | undefined {
    const address = this.blockOf(nearest);
    if (!this.window || address === undefined || !this.exhausted.has(address)) return undefined;
    if (this.accepted.has(nameOf(hash))) return undefined;
    const consumed = { granted: 0, left: 0, msToReset: this.exhausted.getRemainingTTL(address) };
    return { policy: { name: POLICY, limit: this.window.limit }, consumed };
  }

  remember(hash: Buffer): void {
    if (this.window) this.accepted.set(nameOf(hash), true);
  }

  /**
   * Counts a refused credential against its address. If counting fails or the address is unknown, only the count is
   * lost: the credential is refused all the same.
   */
  async count(nearest: string): Promise<void> {
    const address = this.blockOf(nearest);
    if (!this.window || address === undefined) return;
    try {
      const consumed = await this.window.consume(address);
      if (consumed.left === 0) this.exhausted.set(address, true, { ttl: Math.max(1, consumed.msToReset) });
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
