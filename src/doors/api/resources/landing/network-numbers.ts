import type { Pool } from 'pg';
import { countSince } from '../../../../../projections/audit/activity.read-model.js';
import type { Clock } from '../../../../base/support/clock.js';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

/** Counts of the seven days up to `at` (Unix milliseconds). */
export interface WeekNumbers {
  readonly at: number;
  readonly posts: number;
  readonly accounts: number;
}

/** Counts of the last days, made at most once a minute, however many people load the page. */
export class NetworkNumbers {
  private madeAt = -Infinity;
  private numbers: Promise<WeekNumbers | undefined> = Promise.resolve(undefined);

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly setting: 'on' | 'off',
  ) {}

  /** Undefined: the setting is off, or the network refuses reads. @throws errors of the store, for a minute. */
  read(): Promise<WeekNumbers | undefined> {
    const now = this.clock.now();
    if (this.setting === 'on' && Math.abs(now - this.madeAt) >= MINUTE_MS) {
      this.madeAt = now;
      this.numbers = this.count(now);
    }
    return this.numbers;
  }

  private async count(at: number): Promise<WeekNumbers | undefined> {
    const types = ['post.created', 'account.registered'];
    const [posts, accounts] = await countSince(this.pool, types, at - WEEK_MS);
    return posts === undefined || accounts === undefined ? undefined : { at, posts, accounts };
  }
}
