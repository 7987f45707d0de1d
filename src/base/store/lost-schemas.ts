import type { ClientBase } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { CONNECT_MS, MIGRATION_LOCK } from './postgres.js';
import { StoreClient } from './store-client.js';

type Migrations = readonly (new () => MigrationInterface)[];

export type MigrationsBySchema = Readonly<Record<string, Migrations>>;

/**
 * Lets the migrations create a lost schema again: the table of finished migrations still lists them, or is lost itself.
 * The authority store keeps a copy of its own part of that table. `derived`: the schemas whose content
 * comes from the log.
 */
export async function forgetLostSchemas(
  connection: { readonly connectionString: string; readonly application_name: string },
  derived: MigrationsBySchema,
): Promise<void> {
  const client = new StoreClient({ ...connection, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await recreateMigrationTable(client);
    for (const [schema, migrations] of Object.entries(derived))
      await client.query(
        `DELETE FROM plaza_migration WHERE name = ANY ($2) AND to_regnamespace($1) IS NULL`,
        [schema, migrations.map(({ name }) => name)],
      );
  } finally {
    await client.end();
  }
}

/** Keeps the names of the finished migrations of the authority store, which no log could derive. */
export async function recordAuthorityMigrations(client: ClientBase, authority: Migrations): Promise<void> {
  await client.query(
    `INSERT INTO authority.finished_migration SELECT name, timestamp FROM plaza_migration
    WHERE name = ANY ($1) ON CONFLICT DO NOTHING`,
    [authority.map(({ name }) => name)],
  );
}

interface Found {
  readonly schema: string | null;
  readonly is_listed: boolean;
  readonly has_copy: boolean;
}

async function recreateMigrationTable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<Found>(
    `SELECT current_schema() AS schema, to_regclass('plaza_migration') IS NOT NULL AS is_listed,
      to_regclass('authority.finished_migration') IS NOT NULL AS has_copy`,
  );
  const [found] = rows;
  if (!found || found.is_listed) return;
  if (found.schema === null) await client.query('CREATE SCHEMA public');
  await client.query(
    'CREATE TABLE plaza_migration (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL)',
  );
  if (found.has_copy)
    await client.query(
      `INSERT INTO plaza_migration (timestamp, name)
      SELECT timestamp, name FROM authority.finished_migration ORDER BY timestamp`,
    );
}
