import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { BackupPart } from '../format/manifest.js';
import { tablesOf } from '../format/tables.js';
import type { CopiedTable } from '../format/tables.js';
import type { PreRestoreCopy } from './pre-restore-copies.js';

/** A table's file, as it was found whole. */
export interface TableFile extends CopiedTable {
  readonly path: string;
  readonly bytes: number;
}

/** Why a part is not restored over what is there: in words, with what to do. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/**
 * Puts the rows of a part in the place of those that are there, which are kept aside. Run it in a transaction, on a
 * database whose tables are up to date.
 * @throws {RestoreRefused} the backup has other tables than this release.
 */
export async function restoreTables(
  client: ClientBase,
  part: Exclude<BackupPart, 'log'>,
  files: readonly TableFile[],
  kept: PreRestoreCopy,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const tables: readonly string[] = tablesOf[part];
  if (files.some(({ table }) => !tables.includes(table)))
    throw new RestoreRefused(
      `the part ${part} has tables that this release does not know; restore it with the release that made it`,
    );
  for (const table of tables) await kept.copy(client, table);
  // The ledger of the witness lets nobody take a line away, but whoever owns it.
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${tables.join(', ')}`);
  for (const { table, columns, path, bytes } of files) {
    const rows = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
    await pipeline(createReadStream(path), rows);
    onBytes(bytes);
  }
  for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

/** That the network has a witness stays known, whatever the vault was copied before. */
export async function rememberWitness(client: ClientBase, kept: PreRestoreCopy): Promise<void> {
  await client.query(
    `INSERT INTO network_secret SELECT * FROM ${kept.placeOf('public.network_secret')} WHERE name = 'has-witness'
    ON CONFLICT DO NOTHING`,
  );
}

/** Nobody comes back from erasure: a key that was destroyed here since the backup stays destroyed. Answers how many. */
export async function destroyAgain(client: ClientBase, kept: PreRestoreCopy): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE person_key SET key = NULL, destroyed_at = gone.destroyed_at
    FROM ${kept.placeOf('public.person_key')} AS gone
    WHERE gone.key_id = person_key.key_id AND gone.key IS NULL AND person_key.key IS NOT NULL`,
  );
  return rowCount ?? 0;
}

/**
 * What is here is newer than the backup, and what was ended, spent or changed here since stays so. Of the records, a
 * backup that is put over a living store brings none back: those that are in both are as they are here, where one that
 * ended may still be there as an ended one. Passwords and client secrets that only the store here has stay, since people
 * and applications have nothing else to prove themselves with. A store that lost everything knows of none of this.
 */
export async function endAgain(client: ClientBase, kept: PreRestoreCopy): Promise<void> {
  const [records, secrets, credentials] = [
    kept.placeOf('authority.oidc_record'),
    kept.placeOf('authority.client_secret'),
    kept.placeOf('authority.credential'),
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
    INSERT INTO authority.credential SELECT * FROM ${credentials}
    ON CONFLICT (actor_id) DO UPDATE SET password_hash = EXCLUDED.password_hash`);
}

/** Which parts are restored, and whether `plaza restore` could restore the log: advice must name nothing that it refuses. */
export interface Restored {
  readonly parts: readonly string[];
  /** False: it is on a server of its own. */
  readonly isLogHere: boolean;
}

/** Advice to repeat the restore without a part, as the command takes it. */
function without(part: BackupPart, { parts }: Restored): string {
  const others = parts.filter((each) => each !== part);
  return `leave the ${part} out${others.length > 0 ? ` (--parts ${others.join(',')})` : ''}`;
}

/**
 * Of people who came after the backup: without them, what they wrote could not be read again.
 * @throws {RestoreRefused} there are some.
 */
export async function refuseLostKeys(
  client: ClientBase,
  kept: PreRestoreCopy,
  restored: Restored,
): Promise<void> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT count(*) AS count FROM ${kept.placeOf('public.person_key')} AS here
    WHERE NOT EXISTS (SELECT FROM person_key WHERE person_key.key_id = here.key_id)`,
  );
  if (rows[0]?.count === '0') return;
  throw new RestoreRefused(
    `the vault here has ${rows[0]?.count} keys that the backup lacks, and without them the log that stays could not be read: ${without('vault', restored)}${restored.isLogHere ? ', or restore the log as well' : ''}`,
  );
}

/**
 * The restrictions that a witness had and the backup lacks are the proof of what must not come back. Nothing is lacking
 * where the backup's chain goes through the end of the one that was there: how long they are proves nothing.
 * @throws {RestoreRefused} there are some, by the ledger that was just replaced.
 */
export async function refuseForgotten(
  client: ClientBase,
  kept: PreRestoreCopy,
  restored: Restored,
): Promise<void> {
  const { rows } = await client.query<{ ahead: string }>(
    `SELECT here.line - head.line AS ahead
    FROM ${kept.placeOf('public.head')} AS here CROSS JOIN head LEFT JOIN ledger ON ledger.line = here.line
    WHERE here.line > 0 AND ledger.hash IS DISTINCT FROM here.hash`,
  );
  const [other] = rows;
  if (!other) return;
  const leave = `${without('witness', restored)}, and plaza recovery apply re-applies it`;
  throw new RestoreRefused(
    Number(other.ahead) > 0
      ? `the witness here knows what was taken away since the backup (${other.ahead} lines more), and to set it back would bring that back: ${leave}`
      : `the witness here has another history than the backup's, which may lack what it knows was taken away: ${leave}`,
  );
}
