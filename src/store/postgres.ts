import { DataSource } from 'typeorm';
import type { EntityTarget, MigrationInterface, ObjectLiteral } from 'typeorm';
import type { Pool } from 'pg';

/** Any two processes that bring one database up to date take turns under this advisory lock. */
const MIGRATION_LOCK = 7_020_001;

export interface PostgresOptions {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly entities?: readonly EntityTarget<ObjectLiteral>[];
  readonly migrations: readonly (new () => MigrationInterface)[];
}

/** One database: TypeORM for entities and migrations, and the same connections as a `pg` pool for hand-written SQL. */
export abstract class Postgres {
  abstract readonly dataSource: DataSource;
  abstract readonly pool: Pool;
  abstract close(): Promise<void>;
}

/** Connects and brings the schema up to date. Rejects if the database cannot be reached. */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    poolSize: options.maxConnections,
    connectTimeoutMS: 5_000,
    entities: [...(options.entities ?? [])] as never,
    migrations: [...options.migrations],
    migrationsTableName: 'plaza_migration',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  });
  await dataSource.initialize();
  const pool = (dataSource.driver as unknown as { master: Pool }).master;
  await migrate(dataSource, pool);
  return { dataSource, pool, close: () => dataSource.destroy() };
}

async function migrate(dataSource: DataSource, pool: Pool): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations();
    await connection.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    connection.release();
  } catch (error) {
    connection.release(true);
    throw error;
  }
}
