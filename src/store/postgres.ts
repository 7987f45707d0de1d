import { DataSource } from 'typeorm';
import type { EntityTarget, MigrationInterface, ObjectLiteral } from 'typeorm';
import type { Pool } from 'pg';

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
    // A frozen server must look like one that is away: without this a statement waits for it for ever.
    extra: { query_timeout: options.queryTimeoutMs },
  });
  return { dataSource, pool: poolOf(dataSource), close: () => dataSource.destroy() };
}

/** On a connection of its own: a migration may take as long as it takes. */
async function migrate(options: PostgresOptions): Promise<void> {
  const dataSource = await connect(options, { poolSize: 2 });
  try {
    const lock = await poolOf(dataSource).connect();
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
  { url, applicationName, entities = [], migrations }: PostgresOptions,
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

const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;
