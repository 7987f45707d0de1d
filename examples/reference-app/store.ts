/** The file of this application: rows that only the secret in the cookie of their browser decrypts, named by the hash of that. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { quit, settings } from './settings.ts';

const database = new DatabaseSync(settings.sessionsFile, { open: false, timeout: 5_000 });
try {
  mkdirSync(dirname(settings.sessionsFile), { recursive: true, mode: 0o700 });
  closeSync(openSync(settings.sessionsFile, 'a', 0o600));
  database.open();
  database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON');
} catch (error) {
  quit(`SESSIONS: ${(error as Error).message}`);
}
database.exec(`
  CREATE TABLE IF NOT EXISTS item (
    kind TEXT, owner TEXT, key TEXT, data BLOB NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (kind, owner, key)
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS newest AFTER INSERT ON item BEGIN DELETE FROM item WHERE rowid IN (
    SELECT rowid FROM item WHERE (kind, owner) = (NEW.kind, NEW.owner) ORDER BY rowid DESC LIMIT -1 OFFSET 50); END;`);

/** `lease`: a refresh under way. `outbox`: a text that was sent, and that the network has not confirmed. */
type Kind = 'session' | 'lease' | 'login' | 'outbox';

export const newSecret = (): string => randomBytes(32).toString('base64url');

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

/** The newest fifty of a kind stay. Returns false if there is a value already, which stays. */
export function insert(kind: Kind, secret: string, key: string, value: unknown, ms: number): boolean {
  const row = [kind, idOf(secret), key, encrypt(secret, value), Date.now() + ms];
  return database.prepare('INSERT OR IGNORE INTO item VALUES (?, ?, ?, ?, ?)').run(...row).changes === 1;
}

export const update = (kind: Kind, secret: string, key: string, value: unknown) =>
  database
    .prepare('UPDATE item SET data = ? WHERE kind = ? AND owner = ? AND key = ?')
    .run(encrypt(secret, value), kind, idOf(secret), key);

/** Deletes a value and returns it: of two requests, one gets it. */
export function consume(kind: Kind, secret: string, key: string): unknown {
  const row = database
    .prepare('DELETE FROM item WHERE kind = ? AND owner = ? AND key = ? AND expires > ? RETURNING data')
    .get(kind, idOf(secret), key, Date.now());
  return row && decrypt(secret, row['data'] as Uint8Array);
}

export const select = (kind: Kind, secret: string): unknown[] =>
  database
    .prepare('SELECT data FROM item WHERE kind = ? AND owner = ? AND expires > ? ORDER BY expires')
    .all(kind, idOf(secret), Date.now())
    .map(({ data }) => decrypt(secret, data as Uint8Array));

export const removeExpired = () => database.prepare('DELETE FROM item WHERE expires < ?').run(Date.now());
