/**
 * The file of this application: sign-ins under way, sessions, and texts that the network has not confirmed. A row is encrypted under a
 * key derived from the secret in the browser's cookie, and named by the hash of that secret. So neither a stolen file
 * nor a stolen backup of it gives a token or a text.
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
export const database = new DatabaseSync(settings.sessionsFile, { timeout: 5_000 });
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, data BLOB NOT NULL, expires INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 1, lease INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS item (
    kind TEXT, key TEXT, owner TEXT NOT NULL, data BLOB NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (kind, key)
  ) STRICT;`);

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Names the rows of a secret. It does not give the secret away. */
export const idOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'rows', 32));

export function encrypt(secret: string, value: unknown): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce);
  const text = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...text, cipher.getAuthTag()]);
}

/** @throws {Error} the row was altered, or belongs to another secret. */
export function decrypt(secret: string, row: Uint8Array): unknown {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), row.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(row.subarray(-16));
  const text = Buffer.concat([decipher.update(row.subarray(12, -16)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as unknown;
}

/** `login`: a sign-in under way. `waiting`: a text that was sent, and that the network has not confirmed. */
type Kind = 'login' | 'waiting';

/** Keeps a value of the browser with this secret for some time. */
export function keep(kind: Kind, key: string, secret: string, value: unknown, ms: number): void {
  database
    .prepare('INSERT OR REPLACE INTO item (kind, key, owner, data, expires) VALUES (?, ?, ?, ?, ?)')
    .run(kind, key, idOf(secret), encrypt(secret, value), Date.now() + ms);
}

/** Returns a value and deletes it: of two requests, one gets it. */
export function take(kind: Kind, key: string, secret: string): unknown {
  const row = database
    .prepare('DELETE FROM item WHERE kind = ? AND key = ? AND owner = ? AND expires > ? RETURNING data')
    .get(kind, key, idOf(secret), Date.now());
  return row && decrypt(secret, row['data'] as Uint8Array);
}

/** All values of a browser, the oldest first. */
export const kept = (kind: Kind, secret: string): unknown[] =>
  database
    .prepare('SELECT data FROM item WHERE kind = ? AND owner = ? AND expires > ? ORDER BY expires')
    .all(kind, idOf(secret), Date.now())
    .map(({ data }) => decrypt(secret, data as Uint8Array));

export function removeExpired(): void {
  for (const table of ['session', 'item'])
    database.prepare(`DELETE FROM ${table} WHERE expires < ?`).run(Date.now());
}
