import type { ClientBase } from 'pg';
import { derivedAuthorityTables } from '../format/tables.js';
import { CLEAR_AUTHORITY } from '../../../base/store/authority/clear-authority.js';
import { beginAuthorityRebuild } from '../../../../projections/incarnations/authority-rebuild.js';
import type { PreRestoreCopy } from './pre-restore-copies.js';

/** Schemas of groups of the same name, outside of any incarnation. */
const derivedSchemas = ['audit', 'cases'];

export async function resetReadModels(client: ClientBase, copy: PreRestoreCopy): Promise<void> {
  const { rows } = await client.query<{ schema_name: string }>(
    `SELECT nspname AS schema_name FROM recovery.incarnation
    JOIN pg_namespace ON nspname IN (schema_name, 'verify_' || incarnation)`,
  );
  await copy.copyAndTruncate(client, await tablesIn(client, 'recovery'));
  for (const { schema_name } of rows) await copy.moveSchema(client, schema_name);
  for (const schema of derivedSchemas) await copy.copyAndTruncate(client, await tablesIn(client, schema));
}

/**
 * Empties the authority tables that derive from the replaced log, and requests an authority rebuild. Until it ends,
 * nobody may act: halfway through the log, a grant exists whose revocation comes later. `now`: Unix milliseconds.
 */
export async function resetAuthorityTables(
  client: ClientBase,
  copy: PreRestoreCopy,
  now: number,
): Promise<void> {
  for (const table of derivedAuthorityTables) await copy.copyTable(client, table);
  await client.query(CLEAR_AUTHORITY);
  await client.query(`DELETE FROM recovery.checkpoint WHERE group_name = 'authority'`);
  await beginAuthorityRebuild(client, now);
}

/**
 * Empties the tables of audit and cases with their checkpoints, because their positions and events are those of the
 * replaced log. The replaced rows are kept in `copy`.
 */
export async function resetDerivedTables(client: ClientBase, copy: PreRestoreCopy): Promise<void> {
  for (const schema of derivedSchemas) await copy.copyAndTruncate(client, await tablesIn(client, schema));
  await client.query('DELETE FROM recovery.checkpoint WHERE group_name = ANY ($1)', [derivedSchemas]);
}

export async function publishedNetwork(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ network_id: string }>('SELECT network_id FROM recovery.publication');
  return rows[0]?.network_id;
}

async function tablesIn(client: ClientBase, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}
