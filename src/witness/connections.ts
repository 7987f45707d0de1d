import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, Pool } from 'pg';
import type { PoolClient, QueryResultRow } from 'pg';
import { DeadlineExceeded, within } from '../log/eventstoredb/client-errors.js';
import { Witness1763790000000 } from '../store/migrations/1763790000000-witness.js';
import { migrate } from '../store/postgres.js';
import { isUnreachable } from '../store/unreachable.js';
import { WitnessUnavailable } from './witness.js';

/** One writes, one settles, one erases, one goes through the chain, and two look. */
const CONNECTIONS = 6;
/** How long the witness may take: to take a call; for one statement; for all that one call of it asks. */
const PATIENCE_MS = { connect: 1_500, statement: 2_000, whole: 3_000 };

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01';

export interface WitnessAddress {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
}

/**
 * The way to the witness's database, apart from all others: whatever happens to those or to their load, a restriction
 * gets through, and a witness that hangs is one that is away. Connects at the first call, and again whenever that broke.
 */
export class WitnessConnections {
  private readonly pool: Pool;
  private readonly open = new Set<PoolClient>();
  private migrating: Promise<void> | undefined;

  constructor(private readonly address: WitnessAddress) {
    this.pool = new Pool({
      connectionString: address.url,
      application_name: address.applicationName,
      max: CONNECTIONS,
      connectionTimeoutMillis: PATIENCE_MS.connect,
      query_timeout: PATIENCE_MS.statement,
      statement_timeout: PATIENCE_MS.statement,
      // Whoever hangs with the end of the chain in hands lets go of it.
      idle_in_transaction_session_timeout: PATIENCE_MS.statement,
      keepAlive: true,
    });
    // One that breaks while nobody asks it anything is thrown away: by the pool, or by whoever holds it and asks again.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => {
      this.open.add(client);
      client.on('error', () => undefined).once('end', () => this.open.delete(client));
    });
  }

  /** @throws {WitnessUnavailable} */
  rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.use(async (client) => (await client.query<Row>(text, values)).rows);
  }

  /** Commits what `work` did. @throws {WitnessUnavailable} it may be committed nevertheless; and what `work` throws. */
  transaction<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    return this.use(async (client) => {
      await client.query('BEGIN');
      const answer = await work(client);
      await client.query('COMMIT');
      return answer;
    });
  }

  /** One connection for as long as `work` takes, each statement within the deadline. @throws {WitnessUnavailable} */
  async hold<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    const client = await this.connect();
    let failed = true;
    try {
      const answer = await work(client);
      failed = false;
      return answer;
    } catch (error) {
      throw this.faultOf(error);
    } finally {
      // One that failed may still wait for an answer, or have a transaction open.
      client.release(failed);
    }
  }

  /**
   * Resolves when no connection is left, since whoever closes this may stop the server next, which logs each that it has
   * to end itself. The pool alone only tells its connections to end.
   */
  async close(): Promise<void> {
    const ended = [...this.open].map((client) => new Promise((resolve) => client.once('end', resolve)));
    await this.pool.end();
    // A server that hangs ends none: they go with the process.
    await Promise.race([Promise.all(ended), pause(PATIENCE_MS.statement, undefined, { ref: false })]);
  }

  private async use<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    try {
      return await within(PATIENCE_MS.whole, () => this.hold(work));
    } catch (error) {
      throw unavailable(error);
    }
  }

  private async connect(): Promise<PoolClient> {
    try {
      await (this.migrating ??= this.migrate());
      return await this.pool.connect();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Its database may be emptied or replaced under us: then the next call makes the tables anew, and all see what they lack. */
  private faultOf(error: unknown): unknown {
    if (!(error instanceof DatabaseError) || error.code !== UNDEFINED_TABLE) return unavailable(error);
    this.migrating = undefined;
    return new WitnessUnavailable('The witness has no ledger any more.', { cause: error });
  }

  private async migrate(): Promise<void> {
    try {
      await migrate({ ...this.address, migrations: [Witness1763790000000] }, PATIENCE_MS.statement);
    } catch (error) {
      this.migrating = undefined;
      throw error;
    }
  }
}

function unavailable(error: unknown): unknown {
  const isAway = isUnreachable(error) || error instanceof DeadlineExceeded;
  return isAway ? new WitnessUnavailable('The witness does not answer.', { cause: error }) : error;
}
