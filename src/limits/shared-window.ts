import { createHmac } from 'node:crypto';
import { DatabaseError } from 'pg';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limit } from '../config/limit-settings.js';
import { isUnreachable } from '../store/unreachable.js';

/** What was had of a budget, and what is left of it for the same one. */
export interface Claim {
  /** How many of the points that were asked for. */
  readonly granted: number;
  readonly left: number;
  readonly msToReset: number;
}

export interface WindowOptions {
  readonly pool: Pool;
  /** Of the network, so that the table's keys say nothing to who reads them. */
  readonly secret: Buffer;
  /** Parts this budget from every other one in the table. */
  readonly name: string;
  readonly limit: Limit;
  /** Whether a budget that is used up stays so until its window ends: then nobody is asked about it meanwhile. */
  readonly isFinal: boolean;
}

/** Nobody can count now. */
export class LimitsUnavailable extends Error {
  override readonly name = 'LimitsUnavailable';
  /** The server answers: counting alone is what it cannot do. */
  readonly isServerThere: boolean;

  constructor(cause: unknown) {
    super('what was used up of limits cannot be counted', { cause });
    this.isServerThere = cause instanceof DatabaseError && !serverGoes.test(cause.code ?? '');
  }
}

/** SQLSTATE that ends a session or lets none begin. */
const serverGoes = /^(08...|57P0.|53300)$/;
const tableIsGone = new Set(['42P01', '3F000']);

/**
 * A budget that all API processes use up together. A window begins with its first point, by the clock of the process
 * that took it. One statement a claim: of claims at the same moment, on whatever process, each sees another count.
 */
export class SharedWindow {
  readonly limit: Limit;
  private readonly counter: RateLimiterPostgres;

  constructor(private readonly options: WindowOptions) {
    this.limit = options.limit;
    this.counter = new RateLimiterPostgres({
      storeClient: options.pool,
      storeType: 'pool',
      schemaName: 'limits',
      tableName: 'used',
      keyPrefix: '',
      points: this.limit.quota,
      duration: this.limit.windowSeconds,
      ...(options.isFinal && { inMemoryBlockOnConsumed: this.limit.quota }),
      // Made by a migration, swept by ExpiredRecords.
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  }

  /**
   * Takes as many of these points as are left. @param who whose budget it is, in words that nobody else has.
   * @throws {LimitsUnavailable}
   */
  async claim(who: string, points = 1): Promise<Claim> {
    try {
      return claimOf(await this.counter.consume(this.keyOf(who), points), points);
    } catch (error) {
      // The library throws its result where not everything was left.
      if (error instanceof RateLimiterRes) return claimOf(error, this.granted(error, points));
      if (!isUnreachable(error) && !isTableGone(error)) throw error;
      throw new LimitsUnavailable(error);
    }
  }

  /** Under which the table has what this one used up. */
  keyOf(who: string): string {
    const { secret, name } = this.options;
    return createHmac('sha256', secret).update(`${name}:${who}`).digest('base64url');
  }

  /** Those of the points that came before the quota was reached. Nothing consumed: the library did not even ask. */
  private granted({ consumedPoints }: RateLimiterRes, points: number): number {
    if (consumedPoints === 0) return 0;
    return Math.max(0, this.limit.quota - (consumedPoints - points));
  }
}

const claimOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, granted: number): Claim => ({
  granted,
  left: remainingPoints,
  msToReset: msBeforeNext,
});

const isTableGone = (error: unknown): boolean =>
  error instanceof DatabaseError && tableIsGone.has(error.code ?? '');
