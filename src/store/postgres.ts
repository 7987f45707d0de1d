import { Client } from 'pg';
import type { ClientConfig, Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { EntityTarget, MigrationInterface, ObjectLiteral } from 'typeorm';

/** Any two processes that bring one database up to date take turns under this advisory lock. */
const MIGRATION_LOCK = 7_020_001;
const CONNECT_MS = 5_000;

export interface PostgresOptions {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** How long a statement may take before the server counts as out of reach. Undefined: as long as it takes. */
  readonly queryTimeoutMs?: number | undefined;
  readonly entities?: readonly EntityTarget<ObjectLiteral>[];
  readonly migrations: readonly (new () => MigrationInterface)[];
}

/** One database: TypeORM for entities and migrations, and the same connections as a `pg` pool for hand-written SQL. */
export abstract class Postgres {
  abstract readonly dataSource: DataSource;
  abstract readonly pool: Pool;
  abstract close(): Promise<void>;
}

/** Brings the schema up to date, then connects. Rejects if the database cannot be reached. */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  await migrate(options);
  const dataSource = await connect(options, {
    poolSize: options.maxConnections,
    ...(options.queryTimeoutMs !== undefined && { extra: bounds(options.queryTimeoutMs) }),
  });
  return { dataSource, pool: poolOf(dataSource), close: () => dataSource.destroy() };
}

/**
 * Whatever a request asks is found by keys, in order and a few rows at a time. Where Postgres takes that for much work, as
 * it does without statistics of young tables, it would gather and sort all there is, and compile the statement each time.
 */
export const BY_KEYS = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/**
 * A frozen server must look like one that is away: without a bound here a statement waits for it for ever. One that
 * only is slow ends the statement itself, a moment earlier, and ends a transaction whose owner is gone or hangs: with
 * time enough for one that waits for the log in between.
 */
const bounds = (queryTimeoutMs: number) => ({
  Client: ImpatientClient,
  query_timeout: queryTimeoutMs,
  statement_timeout: Math.ceil(queryTimeoutMs * 0.8),
  idle_in_transaction_session_timeout: queryTimeoutMs * 3,
  options: BY_KEYS,
});

type Ask = (...given: unknown[]) => unknown;

/**
 * Ends its connection with the first statement that it gave up on. `pg` keeps it, where what was asked next waits behind
 * that statement, and is dropped unsent when it is given up on too: a ROLLBACK as well, so that whoever gets the
 * connection from the pool would write into a transaction that nobody commits.
 */
class ImpatientClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const ask = this.query.bind(this) as Ask;
    const look = (error: unknown) => {
      if (error instanceof Error && error.message === 'Query read timeout') void this.end();
    };
    this.query = ((...given: unknown[]) => {
      const tell = given.at(-1);
      if (typeof tell === 'function')
        return ask(...given.slice(0, -1), (error: unknown, result: unknown) => {
          look(error);
          (tell as Ask)(error, result);
        });
      const answered = ask(...given);
      if (!(answered instanceof Promise)) return answered;
      return answered.catch((error: unknown) => {
        look(error);
        throw error;
      });
    }) as Client['query'];
  }
}

/**
 * Brings the schema up to date, on connections of its own. A migration may take as long as it takes, unless a statement
 * is bounded by `patienceMs`. Rejects if the database cannot be reached.
 */
export async function migrate(
  options: Omit<PostgresOptions, 'maxConnections'>,
  patienceMs?: number,
): Promise<void> {
  const dataSource = await connect(options, {
    poolSize: 2,
    ...(patienceMs !== undefined && { extra: bounds(patienceMs) }),
  });
  try {
    const lock = await poolOf(dataSource).connect();
    // What breaks while it is held is told by what is asked of it.
    lock.on('error', () => undefined);
    try {
      await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await dataSource.runMigrations();
    } finally {
      // Ends the session, and with it the lock.
      lock.release(true);
    }
  } finally {
    await dataSource.destroy();
  }
}

function connect(
  { url, applicationName, entities = [], migrations }: Omit<PostgresOptions, 'maxConnections'>,
  connections: { readonly poolSize: number; readonly extra?: object },
): Promise<DataSource> {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName,
    connectTimeoutMS: CONNECT_MS,
    entities: [...entities] as never,
    migrations: [...migrations],
    migrationsTableName: 'plaza_migration',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    ...connections,
  }).initialize();
}

/** The connections that TypeORM uses. */
export const poolOf = (dataSource: DataSource): Pool =>
  (dataSource.driver as unknown as { master: Pool }).master;
