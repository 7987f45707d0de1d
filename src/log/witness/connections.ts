import { DatabaseError } from 'pg';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DeadlineExceeded, within } from '../client-errors.js';
import { Witness1763790000000 } from '../../base/store/migrations/1763790000000-witness.js';
import { FindRestrictionsOfOperators1763880000001 } from '../../base/store/migrations/1763880000001-restrictions-by-stream.js';
import { migrate } from '../../base/store/postgres.js';
import { storePool } from '../../base/store/store-client.js';
import { isUnreachable } from '../../base/store/unreachable.js';
import { endsWithin } from '../../base/support/sleep.js';
import { WitnessUnavailable } from './witness.js';

const CONNECTIONS = 6;
const TIMEOUT_MS = { connect: 1_500, statement: 2_000, whole: 3_000 };

const migrations = [Witness1763790000000, FindRestrictionsOfOperators1763880000001];

const UNDEFINED_TABLE = '42P01';

export interface WitnessAddress {
  readonly url: string;
  readonly applicationName: string;
}

/**
 * The pool of the witness's database, apart from all others: their faults and load must not delay a restriction. A
 * witness that hangs counts as unavailable within 3 s. Connects at the first call, and reconnects after a loss.
 */
export class WitnessConnections {
  private readonly pool: Pool;
  private readonly open = new Set<PoolClient>();
  private migrating: Promise<void> | undefined;

  constructor(private readonly address: WitnessAddress) {
    this.pool = storePool({
      connectionString: address.url,
      application_name: address.applicationName,
      max: CONNECTIONS,
      connectionTimeoutMillis: TIMEOUT_MS.connect,
      query_timeout: TIMEOUT_MS.statement,
      statement_timeout: TIMEOUT_MS.statement,
      // A process that hangs with the lock on the chain's head must release it.
      idle_in_transaction_session_timeout: TIMEOUT_MS.statement,
      keepAlive: true,
    });
    this.pool.on('connect', (client) => {
      this.open.add(client);
      client.once('end', () => this.open.delete(client));
    });
  }

  rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.use(async (client) => (await client.query<Row>(text, values)).rows);
  }

  transaction<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    return this.use(async (client) => {
      await client.query('BEGIN');
      const answer = await work(client);
      await client.query('COMMIT');
      return answer;
    });
  }

  async hold<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    const client = await this.connect();
    let failed = true;
    try {
      const answer = await work(client);
      failed = false;
      return answer;
    } catch (error) {
      throw this.toError(error);
    } finally {
      client.release(failed);
    }
  }

  /**
   * Resolves once all connections are closed, or after 2 s: a Postgres that stops next would log each open one. The
   * pool's own `end` does not wait for that.
   */
  async close(): Promise<void> {
    const ended = [...this.open].map((client) => new Promise((resolve) => client.once('end', resolve)));
    await this.pool.end();
    await endsWithin(TIMEOUT_MS.statement, Promise.all(ended));
  }

  private async use<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    try {
      return await within(TIMEOUT_MS.whole, () => this.hold(work));
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

  /**
   * A missing table means that the database was emptied or replaced while this process runs. The next call creates the
   * tables again, empty, so that the checks of all processes find the loss.
   */
  private toError(error: unknown): unknown {
    if (!(error instanceof DatabaseError) || error.code !== UNDEFINED_TABLE) return unavailable(error);
    this.migrating = undefined;
    return new WitnessUnavailable('The witness lost its ledger: reseed it.', { cause: error });
  }

  private async migrate(): Promise<void> {
    try {
      await migrate({ ...this.address, migrations }, TIMEOUT_MS.statement);
    } catch (error) {
      this.migrating = undefined;
      throw error;
    }
  }
}

function unavailable(error: unknown): unknown {
  const isUnavailable = isUnreachable(error) || error instanceof DeadlineExceeded;
  return isUnavailable ? new WitnessUnavailable('The witness does not answer.', { cause: error }) : error;
}
