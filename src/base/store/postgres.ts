import type { ClientBase, ClientConfig, Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { EntityTarget, MigrationInterface, ObjectLiteral } from 'typeorm';
import { StoreClient, storePool } from './store-client.js';

export const MIGRATION_LOCK = 7_020_001;
export const CONNECT_MS = 5_000;

export interface PostgresOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly maxConnections: number;
  /**
   * Milliseconds after which a statement fails and the server counts as unreachable. Undefined: a statement may take
   * any time.
   */
  readonly queryTimeoutMs?: number | undefined;
  readonly entities?: readonly EntityTarget<ObjectLiteral>[];
  readonly migrations: readonly (new () => MigrationInterface)[];
  readonly beforeMigrations?: () => Promise<void>;
  /** On a connection that holds the lock of the migrations. */
  readonly afterMigrations?: (client: ClientBase) => Promise<void>;
}

export abstract class Postgres {
  abstract readonly dataSource: DataSource;
  abstract readonly pool: Pool;
  abstract close(): Promise<void>;
}

/** Runs the migrations, then opens a pool of connections. Rejects if the database cannot be reached. */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  await migrate(options);
  const dataSource = await connect(options, {
    poolSize: options.maxConnections,
    ...(options.queryTimeoutMs !== undefined && { extra: timeouts(options.queryTimeoutMs) }),
  });
  return { dataSource, pool: poolOf(dataSource), close: () => dataSource.destroy() };
}

/**
 * Planner settings for the connections of requests, which read few rows by keys. While new tables have no statistics,
 * Postgres would expect many rows, sort whole tables and compile each statement.
 */
export const PREFER_INDEXES = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/**
 * Options of a connection with a timeout: without one, a statement to a frozen server waits for ever. A server that
 * is merely slow ends the statement itself, a moment earlier (80 %). It also ends an abandoned transaction, but only
 * after three timeouts, because a transaction may wait for the log.
 */
const timeouts = (queryTimeoutMs: number) => ({
  Client: TimeoutClient,
  query_timeout: queryTimeoutMs,
  statement_timeout: Math.ceil(queryTimeoutMs * 0.8),
  idle_in_transaction_session_timeout: queryTimeoutMs * 3,
  options: PREFER_INDEXES,
});

/**
 * Opens a pool of connections that plan a named statement once, for whatever values. By itself Postgres plans one with
 * its limit as a parameter anew each time: it takes the plan for any limit to read a tenth of the table. Statements whose
 * filters are optional parameters need a plan for their values, and so do not belong here.
 */
export const openPlannedOnce = ({
  url,
  applicationName,
  maxConnections,
  queryTimeoutMs,
}: Pick<PostgresOptions, 'url' | 'applicationName' | 'maxConnections'> & {
  readonly queryTimeoutMs: number;
}): Pool =>
  storePool({
    connectionString: url,
    application_name: applicationName,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_MS,
    ...timeouts(queryTimeoutMs),
    options: `${PREFER_INDEXES} -c plan_cache_mode=force_generic_plan`,
  });

type Query = (...args: unknown[]) => unknown;

/**
 * Ends its connection after the first statement that times out. `pg` would keep the connection, queue later
 * statements behind that one, and drop them unsent when they time out. A dropped ROLLBACK would leave the transaction
 * open: the next user of the connection would write into it, and no COMMIT would follow.
 */
class TimeoutClient extends StoreClient {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = this.query.bind(this) as Query;
    const closeAfterTimeout = (error: unknown) => {
      if (error instanceof Error && error.message === 'Query read timeout') void this.end();
    };
    this.query = ((...args: unknown[]) => {
      const callback = args.at(-1);
      if (typeof callback === 'function')
        return query(...args.slice(0, -1), (error: unknown, result: unknown) => {
          closeAfterTimeout(error);
          (callback as Query)(error, result);
        });
      const pending = query(...args);
      if (!(pending instanceof Promise)) return pending;
      return pending.catch((error: unknown) => {
        closeAfterTimeout(error);
        throw error;
      });
    }) as StoreClient['query'];
  }
}

/**
 * Runs the migrations on connections of their own. `statementTimeoutMs`: limit of each statement; undefined: none.
 * Rejects if the database cannot be reached.
 */
export async function migrate(
  options: Omit<PostgresOptions, 'maxConnections'>,
  statementTimeoutMs?: number,
): Promise<void> {
  await options.beforeMigrations?.();
  const dataSource = await connect(options, {
    poolSize: 2,
    ...(statementTimeoutMs !== undefined && { extra: timeouts(statementTimeoutMs) }),
  });
  try {
    const lock = await poolOf(dataSource).connect();
    try {
      await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await dataSource.runMigrations();
      await options.afterMigrations?.(lock);
    } finally {
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
    extra: { Client: StoreClient, ...connections.extra },
  }).initialize();
}

export const poolOf = (dataSource: DataSource): Pool =>
  (dataSource.driver as unknown as { master: Pool }).master;
