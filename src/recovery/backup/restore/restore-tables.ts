import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { BackupPart } from '../format/manifest.js';
import { tablesOfPart } from '../format/tables.js';
import type { CopiedTable } from '../format/tables.js';
import type { PreRestoreCopy } from './pre-restore-copies.js';

export interface TableFile extends CopiedTable {
  readonly path: string;
  readonly bytes: number;
}

export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

/**
 * Replaces the rows of a part by those of the backup, and keeps the replaced ones in `copy`. Needs a transaction, and
 * tables of the current version.
 * @throws {RestoreRefusedError} the backup has tables that this release does not know.
 */
export async function restoreTables(
  client: ClientBase,
  part: Exclude<BackupPart, 'log'>,
  files: readonly TableFile[],
  copy: PreRestoreCopy,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const tables: readonly string[] = tablesOfPart[part];
  if (files.some(({ table }) => !tables.includes(table)))
    throw new RestoreRefusedError(
      `the part ${part} has tables that this release does not know; restore it with the release that made it`,
    );
  for (const table of tables) await copy.copyTable(client, table);
  // A trigger makes the ledger append-only; only the owner of the table may disable it.
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${tables.join(', ')}`);
  for (const { table, columns, path, bytes } of files) {
    const rows = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
    await pipeline(createReadStream(path), rows);
    onBytes(bytes);
  }
  for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

/** Puts back the record that the network has a witness: a vault restored from an older backup may lack it. */
export async function copyWitnessRecordBack(client: ClientBase, copy: PreRestoreCopy): Promise<void> {
  await client.query(
    `INSERT INTO network_secret SELECT * FROM ${copy.copiedTable('public.network_secret')} WHERE name = 'has-witness'
    ON CONFLICT DO NOTHING`,
  );
}

/** Destroys the restored keys that were destroyed after the backup was taken. Returns their number. */
export async function destroyErasedKeys(client: ClientBase, copy: PreRestoreCopy): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE person_key SET key = NULL, destroyed_at = gone.destroyed_at
    FROM ${copy.copiedTable('public.person_key')} AS gone
    WHERE gone.key_id = person_key.key_id AND gone.key IS NULL AND person_key.key IS NOT NULL`,
  );
  return rowCount ?? 0;
}

/**
 * Merges restored credentials with the replaced ones in `copy`. Whatever ended or changed after the backup stays so,
 * and a session or token that only the backup has is removed: it ended since. Passwords and client secrets that only
 * `copy` has stay, because people and applications have no others. Of two proofs of one address, that of `copy` stays. If
 * `copy` is empty, the whole backup stays.
 */
export async function keepNewerCredentials(client: ClientBase, copy: PreRestoreCopy): Promise<void> {
  const [records, secrets, credentials] = [
    copy.copiedTable('authority.oidc_record'),
    copy.copiedTable('authority.client_secret'),
    copy.copiedTable('authority.credential'),
  ];
  await client.query(`
    DELETE FROM authority.oidc_record AS record
    WHERE (EXISTS (SELECT FROM ${records}) OR EXISTS (SELECT FROM ${credentials}))
      AND NOT EXISTS (SELECT FROM ${records} AS here WHERE (here.kind, here.key_hash) = (record.kind, record.key_hash));
    UPDATE authority.oidc_record AS record SET (grant_id, uid_hash, payload, expires_at, consumed_at) =
      (here.grant_id, here.uid_hash, here.payload, here.expires_at, here.consumed_at)
    FROM ${records} AS here WHERE (here.kind, here.key_hash) = (record.kind, record.key_hash);
    DELETE FROM authority.client_secret WHERE app_id IN (SELECT app_id FROM ${secrets});
    INSERT INTO authority.client_secret SELECT * FROM ${secrets};
    UPDATE authority.credential SET address_proof = NULL
    WHERE actor_id IN (SELECT actor_id FROM ${credentials})
      OR address_proof IN (SELECT address_proof FROM ${credentials});
    INSERT INTO authority.credential SELECT * FROM ${credentials}
    ON CONFLICT (actor_id) DO UPDATE SET password_hash = EXCLUDED.password_hash, address_proof = EXCLUDED.address_proof,
      factors = EXCLUDED.factors`);
}

/**
 * Parts that are restored, and whether `plaza restore` can also restore the log (`isLogHere`). Advice in a refusal
 * must not name a command that would be refused too.
 */
export interface RestoreScope {
  readonly parts: readonly string[];
  readonly isLogHere: boolean;
}

function leaveOutAdvice(part: BackupPart, { parts }: RestoreScope): string {
  const others = parts.filter((each) => each !== part);
  return `leave the ${part} out${others.length > 0 ? ` (--parts ${others.join(',')})` : ''}`;
}

/**
 * Refuses a restore of the vault without the log if the current vault has keys that the backup lacks. They are those
 * of people who signed up later, whose texts would become unreadable.
 * @throws {RestoreRefusedError} the backup lacks such keys.
 */
export async function refuseMissingKeys(
  client: ClientBase,
  copy: PreRestoreCopy,
  restored: RestoreScope,
): Promise<void> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT count(*) AS count FROM ${copy.copiedTable('public.person_key')} AS here
    WHERE NOT EXISTS (SELECT FROM person_key WHERE person_key.key_id = here.key_id)`,
  );
  if (rows[0]?.count === '0') return;
  throw new RestoreRefusedError(
    `the current vault has ${rows[0]?.count} keys that the backup lacks, and without them texts in the log could not be read: ${leaveOutAdvice('vault', restored)}${restored.isLogHere ? ', or restore the log as well' : ''}`,
  );
}

/**
 * Refuses a backup of the witness that lacks restrictions of the current one. It has all of them if its hash chain
 * passes through the end of the current chain; the length of a chain proves nothing.
 * @throws {RestoreRefusedError} restrictions are missing.
 */
export async function refuseMissingRestrictions(
  client: ClientBase,
  copy: PreRestoreCopy,
  restored: RestoreScope,
): Promise<void> {
  const { rows } = await client.query<{ ahead: string }>(
    `SELECT here.line - head.line AS ahead
    FROM ${copy.copiedTable('public.head')} AS here CROSS JOIN head LEFT JOIN ledger ON ledger.line = here.line
    WHERE here.line > 0 AND ledger.hash IS DISTINCT FROM here.hash`,
  );
  const [mismatch] = rows;
  if (!mismatch) return;
  const advice = `${leaveOutAdvice('witness', restored)}, and plaza recovery apply re-applies it`;
  throw new RestoreRefusedError(
    Number(mismatch.ahead) > 0
      ? `the current witness knows restrictions since the backup (${mismatch.ahead} lines more), and restoring the older one would lift them: ${advice}`
      : `the current witness has another history than the backup's, which may lack restrictions: ${advice}`,
  );
}
