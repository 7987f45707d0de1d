import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BackupPart } from './manifest.js';
import type { SentFile } from './multi-file-stream.js';

/** A table of a backup, and its columns in the order in which its file has them. */
export interface CopiedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * What each part has, those first that others refer to. Of the authority store what is in no log: what people and
 * applications prove themselves with, as it is kept, hashed or sealed. The rest of it is the log's, and personal in
 * part.
 */
export const tablesOf = {
  authority: ['authority.credential', 'authority.client_secret', 'authority.oidc_record'],
  vault: ['public.person_key', 'public.network_secret'],
  witness: ['public.ledger', 'public.head', 'public.restriction'],
} as const satisfies Record<Exclude<BackupPart, 'log'>, readonly string[]>;

/** Tables of the authority store that a worker fills from the log: in no backup, and emptied by a restore. */
export const derivedAuthority = [
  'authority.account',
  'authority.application',
  'authority.app_grant',
  'authority.publishing',
];

/** Of no use to a network that begins anew: see recovery/restore/deriving.ts. */
const passing = ['authority.deriving'];

/** Every table of the authority store there is: a new one must be put into one of the lists. */
export const keptOrDerivedAuthority: readonly string[] = [
  ...tablesOf.authority,
  ...derivedAuthority,
  ...passing,
];

/** About how many bytes tables take. */
export async function sizeOf(client: ClientBase, tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ bytes: string | null }>(
    'SELECT sum(pg_relation_size(name::regclass)) AS bytes FROM unnest($1::text[]) AS name',
    [tables],
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** The tables as files, of which one is read at a time. Begin a snapshot first, so that all are of one moment. */
export async function* filesOf(client: ClientBase, tables: readonly string[]): AsyncGenerator<SentFile> {
  for (const table of tables) {
    const columns = await columnsOf(client, table);
    yield {
      name: `${table.replace(/^.*\./, '')}.copy`,
      about: { table, columns } satisfies CopiedTable,
      bytes: () => client.query(copyTo(`COPY ${table} (${columns.join(', ')}) TO STDOUT`)),
    };
  }
}

/** Without those that Postgres works out by itself. */
async function columnsOf(client: ClientBase, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
    WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** One moment of all tables, for as long as nothing else is begun on this connection. */
export async function beginSnapshot(client: ClientBase): Promise<void> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
}
