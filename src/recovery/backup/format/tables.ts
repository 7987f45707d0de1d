import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BackupPart } from './manifest.js';
import type { SentFile } from './multi-file-stream.js';

export interface CopiedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * Tables that a backup copies, by part; referenced tables come first. Of the authority store these are only the
 * credentials, sessions and tokens, hashed or encrypted as stored. The rest of that store derives from the log, and
 * some of it is personal data.
 */
export const tablesOfPart = {
  authority: ['authority.credential', 'authority.client_secret', 'authority.oidc_record'],
  vault: ['public.person_key', 'public.network_secret'],
  witness: ['public.ledger', 'public.head', 'public.restriction'],
} as const satisfies Record<Exclude<BackupPart, 'log'>, readonly string[]>;

/**
 * Tables of the authority store that derive from the log. No backup has them; a restore of that store or of the log
 * empties them, except for revoked grants and erased accounts.
 */
export const derivedAuthorityTables = [
  'authority.account',
  'authority.application',
  'authority.app_grant',
  'authority.publishing',
  'authority.registration',
  'authority.batch',
  'authority.operator',
  'authority.operator_token',
  'authority.operator_passkey',
  'authority.shared_token',
  'authority.four_eyes',
  'authority.approval',
];

/**
 * Tables that are neither copied nor restored: the state of the authority rebuild, which a restored network begins anew
 * (incarnations/authority-rebuild.ts), the migrations of this database, the last uses of operators' credentials,
 * their sign-ins, what a sign-in page knows of browsers and wrong passwords, mails to send with their links, and the rewrites
 * of this database's files.
 */
const transient = [
  'authority.deriving',
  'authority.finished_migration',
  'authority.operator_token_use',
  'authority.operator_passkey_use',
  'authority.operator_challenge',
  'authority.operator_passkey_link',
  'authority.operator_session',
  'authority.known_browser',
  'authority.wrong_password',
  'authority.mail_request',
  'authority.recovery_link',
  'authority.rewrite',
];

/**
 * All tables of the authority store. A new table must join one of these lists, so that it is decided what a backup
 * does with it.
 */
export const allAuthorityTables: readonly string[] = [
  ...tablesOfPart.authority,
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

/**
 * Yields the tables as files, read one at a time. Call {@link beginSnapshot} before, so that all show the same
 * moment.
 */
export async function* tablesAsFiles(
  client: ClientBase,
  tables: readonly string[],
): AsyncGenerator<SentFile> {
  for (const table of tables) {
    const columns = await columnsOf(client, table);
    yield {
      name: `${table.replace(/^.*\./, '')}.copy`,
      about: { table, columns } satisfies CopiedTable,
      bytes: () => client.query(copyTo(`COPY ${table} (${columns.join(', ')}) TO STDOUT`)),
    };
  }
}

/** Returns the columns of a table, except for generated ones, which `COPY` cannot write. */
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
