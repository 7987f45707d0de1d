import type { ClientBase } from 'pg';
import { derivedAuthority } from '../format/tables.js';
import { CLEAR_AUTHORITY } from '../../store/authority/forget-authority.js';
import { beginAuthorityRebuild } from '../../incarnations/authority-rebuild.js';
import type { PreRestoreCopy } from './pre-restore-copies.js';

/** Sets the read store aside: incarnations, what is published, the audit. All of it is built anew from the log. */
export async function forgetReadModels(client: ClientBase, kept: PreRestoreCopy): Promise<void> {
  const { rows } = await client.query<{ schema_name: string }>(
    // With what a verification has left that was cut off.
    `SELECT nspname AS schema_name FROM recovery.incarnation
    JOIN pg_namespace ON nspname IN (schema_name, 'verify_' || incarnation)`,
  );
  await kept.empty(client, await tablesIn(client, 'recovery'));
  for (const { schema_name } of rows) await kept.moveSchema(client, schema_name);
  await kept.empty(client, await tablesIn(client, 'audit'));
}

/**
 * After the log was replaced: what was derived from the other one outside of the incarnations is set aside and derived
 * anew.
 *
 * Until a worker has been through the log nobody may act: what was given would be there before it was taken away. That
 * is what `authority.deriving` says (see deriving.ts). `now`: Unix milliseconds.
 */
export async function forgetAuthority(client: ClientBase, kept: PreRestoreCopy, now: number): Promise<void> {
  for (const table of derivedAuthority) await kept.copy(client, table);
  await client.query(CLEAR_AUTHORITY);
  await client.query(`DELETE FROM recovery.checkpoint WHERE group_name = 'authority'`);
  await beginAuthorityRebuild(client, now);
}

/** After the log was replaced: positions and events of the other one are none of this one's. */
export async function forgetAudit(client: ClientBase, kept: PreRestoreCopy): Promise<void> {
  await kept.empty(client, await tablesIn(client, 'audit'));
  await client.query(`DELETE FROM recovery.checkpoint WHERE group_name = 'audit'`);
}

/** Which network's read models are published here; undefined: none. */
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
