import { createHmac } from 'node:crypto';
import { DatabaseError } from 'pg';
import type { QueryConfig, QueryResult } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limit } from '../../base/config/limit-settings.js';
import { isUnreachable } from '../../base/store/unreachable.js';

/** The outcome of one call: points that were granted of those asked for, and what is left of the window. */
export interface Consumed {
  readonly granted: number;
  readonly left: number;
  readonly msToReset: number;
}

/** Executes queries: a pool, or a store whose statements join the transaction in progress. */
export interface Queryable {
  query<Row extends object>(query: QueryConfig): Promise<QueryResult<Row>>;
}

export interface WindowOptions {
  readonly pool: Queryable;
  readonly secret: Buffer;
  readonly name: string;
  readonly limit: Limit;
  readonly isFinal: boolean;
}

export class LimitsUnavailable extends Error {
  override readonly name = 'LimitsUnavailable';
  readonly isServerAvailable: boolean;

  constructor(cause: unknown) {
    super('rate limits cannot be counted: the database does not answer or the table is missing', { cause });
    this.isServerAvailable = cause instanceof DatabaseError && !sessionEnds.test(cause.code ?? '');
  }
}

/** SQLSTATE codes that end a session or refuse a new one. */
const sessionEnds = /^(08...|57P0.|53300)$/;
const tableIsGone = new Set(['42P01', '3F000']);

/**
 * A limit that all API processes share, in fixed windows. A window begins with its first point, by the clock of the
 * process that takes it. Each call is one statement, so that concurrent ones see different counts.
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
      // A migration creates the table; ExpiredRecords sweeps it.
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  }

  /**
   * Takes up to `points` of the remaining points; `granted` is the number taken. `who`: unique name of the holder of
   * the quota.
   * @throws {LimitsUnavailable}
   */
  async consume(who: string, points = 1): Promise<Consumed> {
    try {
      return consumedOf(await this.counter.consume(this.keyOf(who), points), points);
    } catch (error) {
      if (error instanceof RateLimiterRes) return consumedOf(error, this.granted(error, points));
      if (!isUnreachable(error) && !isTableGone(error)) throw error;
      throw new LimitsUnavailable(error);
    }
  }

  keyOf(who: string): string {
    const { secret, name } = this.options;
    return createHmac('sha256', secret).update(`${name}:${who}`).digest('base64url');
  }

  /**
   * Returns how many of the points were below the quota; 0 if the in-memory block answered, which consumes
   * nothing.
   */
  private granted({ consumedPoints }: RateLimiterRes, points: number): number {
    if (consumedPoints === 0) return 0;
    return Math.max(0, this.limit.quota - (consumedPoints - points));
  }
}

const consumedOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, granted: number): Consumed => ({
  granted,
  left: remainingPoints,
  msToReset: msBeforeNext,
});

const isTableGone = (error: unknown): boolean =>
  error instanceof DatabaseError && tableIsGone.has(error.code ?? '');
