import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BackupPart } from './manifest.js';
import type { SentFile } from './multi-file-stream.js';

export interface CopiedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * Tables of each part, referenced tables first. The authority store contributes only credentials, hashed or encrypted
 * as stored. The rest of that store derives from the log, and some of it is personal data.
 */
export const tablesOf = {
  authority: ['authority.credential', 'authority.client_secret', 'authority.oidc_record'],
  vault: ['public.person_key', 'public.network_secret'],
  witness: ['public.ledger', 'public.head', 'public.restriction'],
} as const satisfies Record<Exclude<BackupPart, 'log'>, readonly string[]>;

/** Tables of the authority store that derive from the log: no backup has them, and a restore empties them. */
export const derivedAuthorityTables = [
  'authority.account',
  'authority.application',
  'authority.app_grant',
  'authority.publishing',
  'authority.operator',
  'authority.operator_token',
  'authority.shared_token',
];

/**
 * The state of the authority rebuild, which a restored network begins anew (incarnations/authority-rebuild.ts); the
 * migrations of this database; and of operators what no restore may revive: sessions, and days of use.
 */
const transient = [
  'authority.deriving',
  'authority.finished_migration',
  'authority.operator_session',
  'authority.operator_token_use',
];

/** Every table of the authority store. A new table must join one of these lists. */
export const allAuthorityTables: readonly string[] = [
  ...tablesOf.authority,
  ...derivedAuthorityTables,
  ...transient,
];

export async function bytesOfTables(client: ClientBase, tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ bytes: string | null }>(
    'SELECT sum(pg_relation_size(name::regclass)) AS bytes FROM unnest($1::text[]) AS name',
    [tables],
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** The tables as files, read one at a time. Call {@link beginSnapshot} before, so that all tables show one moment. */
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

/** Without generated columns, which `COPY` cannot write. */
async function columnsOf(client: ClientBase, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
    WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

export async function beginSnapshot(client: ClientBase): Promise<void> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
}
