/**
 * The file of this application. A row is encrypted under a key derived from the secret in the browser's cookie, and named
 * by the hash of that secret. So neither a stolen file nor a stolen backup of it gives a token or a text.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { quit, settings } from './settings.ts';

try {
  mkdirSync(dirname(settings.sessionsFile), { recursive: true, mode: 0o700 });
  closeSync(openSync(settings.sessionsFile, 'a', 0o600));
} catch (error) {
  quit(`SESSIONS: ${(error as Error).message}`);
}
const database = new DatabaseSync(settings.sessionsFile, { timeout: 5_000 });
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS item (
    kind TEXT, owner TEXT, key TEXT, data BLOB NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (kind, owner, key)
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS newest AFTER INSERT ON item BEGIN DELETE FROM item WHERE rowid IN (
    SELECT rowid FROM item WHERE (kind, owner) = (NEW.kind, NEW.owner) ORDER BY rowid DESC LIMIT -1 OFFSET 50); END;`);

/** `lease`: a refresh under way. `waiting`: a text that was sent, and that the network has not confirmed. */
type Kind = 'session' | 'lease' | 'login' | 'waiting';

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Names the rows of a secret. It does not give the secret away. */
const idOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'rows', 32));

function encrypt(secret: string, value: unknown): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce);
  const text = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...text, cipher.getAuthTag()]);
}

function decrypt(secret: string, row: Uint8Array): unknown {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), row.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(row.subarray(-16));
  const text = Buffer.concat([decipher.update(row.subarray(12, -16)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as unknown;
}

/** Keeps a value under this secret for some time: the newest fifty of a kind. Returns false, and keeps the old one, if there is one. */
export function keep(kind: Kind, secret: string, key: string, value: unknown, ms: number): boolean {
  const row = [kind, idOf(secret), key, encrypt(secret, value), Date.now() + ms];
  return database.prepare('INSERT OR IGNORE INTO item VALUES (?, ?, ?, ?, ?)').run(...row).changes === 1;
}

/** Changes a value, if it is still there. */
export const change = (kind: Kind, secret: string, key: string, value: unknown) =>
  database
    .prepare('UPDATE item SET data = ? WHERE kind = ? AND owner = ? AND key = ?')
    .run(encrypt(secret, value), kind, idOf(secret), key);

/** Returns a value and deletes it: of two requests, one gets it. */
export function take(kind: Kind, secret: string, key: string): unknown {
  const row = database
    .prepare('DELETE FROM item WHERE kind = ? AND owner = ? AND key = ? AND expires > ? RETURNING data')
    .get(kind, idOf(secret), key, Date.now());
  return row && decrypt(secret, row['data'] as Uint8Array);
}

/** All values of a kind under this secret, the oldest first. */
export const kept = (kind: Kind, secret: string): unknown[] =>
  database
    .prepare('SELECT data FROM item WHERE kind = ? AND owner = ? AND expires > ? ORDER BY expires')
    .all(kind, idOf(secret), Date.now())
    .map(({ data }) => decrypt(secret, data as Uint8Array));

export const removeExpired = () => database.prepare('DELETE FROM item WHERE expires < ?').run(Date.now());
