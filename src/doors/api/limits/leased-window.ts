import type { Clock } from '../../../base/support/clock.js';
import type { Consumed, SharedWindow } from '../../../server/limits/shared-window.js';

export const MAX_LEASE_POINTS = 50;
/** A lease takes one sixteenth of the remaining points, so that leases shrink as the points run out. */
const LEASE_DIVISOR = 16;

interface Lease {
  points: number;
  readonly leftForAll: number;
  readonly endsAt: number;
}

/**
 * Counts frequent requests in a window that all processes share (docs/adr/0009-limits-and-leases.md). Each process
 * leases points and spends them in memory until the window ends. Never more than the quota is granted. Points that a
 * process leases and does not spend are lost: at most one lease for each other process.
 */
export class LeasedWindow {
  readonly limit: SharedWindow['limit'];
  private readonly leases = new Map<string, Lease>();
  private readonly pending = new Map<string, Promise<Consumed>>();

  constructor(
    private readonly shared: SharedWindow,
    private readonly clock: Clock,
  ) {
    this.limit = shared.limit;
  }

  /**
   * Takes up to `points` of the quota of `key`; `granted` is the number taken. `left` is an estimate of this process.
   * @throws {LimitsUnavailable}
   */
  async consume(key: string, points = 1): Promise<Consumed> {
    for (let granted = 0; ;) {
      const lease = this.activeLease(key);
      if (lease) {
        const taken = Math.min(lease.points, points - granted);
        lease.points -= taken;
        granted += taken;
        const msToReset = lease.endsAt - this.clock.now();
        if (granted === points) return { granted, left: lease.points + lease.leftForAll, msToReset };
      }
      const consumed = await this.takeLease(key, points - granted, lease?.leftForAll ?? this.limit.quota);
      if (consumed.granted === 0) return { ...consumed, granted };
    }
  }

  private activeLease(key: string): Lease | undefined {
    const lease = this.leases.get(key);
    return lease && this.clock.now() < lease.endsAt ? lease : undefined;
  }

  /** Concurrent calls for one key share a lease, which has the points of the first one at least. */
  private takeLease(key: string, needed: number, left: number): Promise<Consumed> {
    const pending = this.pending.get(key);
    if (pending) return pending;
    const points = Math.min(MAX_LEASE_POINTS, Math.max(needed, Math.floor(left / LEASE_DIVISOR)));
    const taking = this.shared
      .consume(key, points)
      .then((consumed) => {
        this.store(key, consumed);
        return consumed;
      })
      .finally(() => this.pending.delete(key));
    this.pending.set(key, taking);
    return taking;
  }

  /**
   * Stores a lease, and deletes expired ones: they come first, since the map is in order of insertion and no lease
   * outlives a window.
   */
  private store(key: string, { granted, left, msToReset }: Consumed): void {
    const now = this.clock.now();
    for (const [other, { endsAt }] of this.leases) {
      if (now < endsAt) break;
      this.leases.delete(other);
    }
    this.leases.delete(key);
    this.leases.set(key, { points: granted, leftForAll: left, endsAt: now + msToReset });
  }
}
