import type { Clock } from '../../commands/support/ambient.js';
import type { Claim, SharedWindow } from '../../limits/shared-window.js';

/** Points of one lease at the most. */
export const LARGEST_LEASE = 50;
/** A lease is this part of what is left for everybody, so that near the end each process takes what it needs. */
const PART = 16;

/** Points that this process has and has not spent. */
interface Lease {
  points: number;
  /** For every process, after this lease. */
  readonly leftForAll: number;
  /** Unix milliseconds. */
  readonly endsAt: number;
}

/**
 * A shared window for what is too frequent to be counted one by one: each process takes points in advance and spends
 * them in memory until the window ends. Never more than the quota is granted. What other processes have taken and do
 * not spend is missing at the end: at most a lease for each of them.
 */
export class LeasedWindow {
  readonly limit: SharedWindow['limit'];
  private readonly leases = new Map<string, Lease>();
  private readonly underWay = new Map<string, Promise<Claim>>();

  constructor(
    private readonly shared: SharedWindow,
    private readonly clock: Clock,
  ) {
    this.limit = shared.limit;
  }

  /** Takes one point. `left`: as far as this process knows. @throws {LimitsUnavailable} */
  async claim(who: string): Promise<Claim> {
    for (;;) {
      const lease = this.running(who);
      if (lease && lease.points > 0) {
        lease.points -= 1;
        const msToReset = lease.endsAt - this.clock.now();
        return { granted: 1, left: lease.points + lease.leftForAll, msToReset };
      }
      const claim = await this.takeLease(who, lease?.leftForAll ?? this.limit.quota);
      if (claim.granted === 0) return claim;
    }
  }

  private running(who: string): Lease | undefined {
    const lease = this.leases.get(who);
    return lease && this.clock.now() < lease.endsAt ? lease : undefined;
  }

  /** One at a time for each: who asks meanwhile shares it. */
  private takeLease(who: string, left: number): Promise<Claim> {
    const found = this.underWay.get(who);
    if (found) return found;
    const points = Math.min(LARGEST_LEASE, Math.max(1, Math.floor(left / PART)));
    const taken = this.shared
      .claim(who, points)
      .then((claim) => {
        this.keep(who, claim);
        return claim;
      })
      .finally(() => this.underWay.delete(who));
    this.underWay.set(who, taken);
    return taken;
  }

  /** The oldest come first, and none lasts longer than a window: what is kept is of the last one. */
  private keep(who: string, { granted, left, msToReset }: Claim): void {
    const now = this.clock.now();
    for (const [other, { endsAt }] of this.leases) {
      if (now < endsAt) break;
      this.leases.delete(other);
    }
    this.leases.delete(who);
    this.leases.set(who, { points: granted, leftForAll: left, endsAt: now + msToReset });
  }
}
