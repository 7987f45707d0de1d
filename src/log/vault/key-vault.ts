import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DatabaseError } from 'pg';
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { leaveJournal } from '../../store/leave-journal.js';
import { isUnreachable } from '../../store/unreachable.js';
import { LogUnavailable } from '../event-log.js';
import { DESTROYED_CHANNEL } from './destroyed-keys.js';
import type { KeepsKeys } from './destroyed-keys.js';

/** The key that seals one person's fields: 256 bits. As a `KeyObject`, because OpenSSL takes its time over bare bytes. */
export interface PersonKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The person was erased: their key is destroyed, and nothing about them can be written or read again. */
export class PersonErased extends Error {
  override readonly name = 'PersonErased';
}

interface KeyRow {
  readonly key_id: string;
  readonly key: Buffer | null;
}

/**
 * Keys held in memory: 32 bytes each, so a few megabytes. Only while it is heard of keys that other processes destroy, and
 * not for long even then.
 */
const cached = { max: 20_000, ttl: 60_000 };

/** A table of so many bytes is written anew within a second or two: some 200,000 people's keys. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
/** SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * One key a person, in a database of its own (recovery.md, "Four stores"). Destroying the key is what erases the
 * person from every copy of the log.
 */
export class KeyVault implements KeepsKeys {
  private keeps = false;
  /** How often something was forgotten: what was asked for before may be destroyed by now, and is not kept. */
  private forgotten = 0;
  private readonly byPerson = new LRUCache<string, PersonKey>(cached);
  private readonly byId = new LRUCache<string, PersonKey>(cached);

  constructor(
    private readonly pool: Pool,
    private readonly newKey: () => { readonly id: string; readonly key: Buffer },
  ) {}

  /** The person's key; made at the first call for a person. @throws {PersonErased} {@link LogUnavailable} */
  async keyOf(person: string): Promise<PersonKey> {
    const known = this.byPerson.get(person);
    if (known) return known;
    const { forgotten } = this;
    const row = (await this.select(person)) ?? (await this.create(person));
    if (row.key === null) throw new PersonErased('The account is erased.');
    const found = { id: row.key_id, key: createSecretKey(row.key) };
    if (!this.mayStillKeep(forgotten)) return found;
    this.byPerson.set(person, found);
    this.byId.set(found.id, found);
    return found;
  }

  /** The keys with these ids: undefined for one that is destroyed, no entry for one that never was here. @throws {LogUnavailable} */
  async keysById(ids: Iterable<string>): Promise<ReadonlyMap<string, PersonKey | undefined>> {
    const found = new Map<string, PersonKey | undefined>();
    const wanted: string[] = [];
    for (const id of new Set(ids)) {
      const known = this.byId.get(id);
      if (known) found.set(id, known);
      else wanted.push(id);
    }
    if (wanted.length === 0) return found;
    const { forgotten } = this;
    const { rows } = await this.query<KeyRow>({
      name: 'vault-keys-by-id',
      text: 'SELECT key_id, key FROM person_key WHERE key_id = ANY($1::uuid[])',
      values: [wanted],
    });
    for (const row of rows) {
      const key = row.key === null ? undefined : { id: row.key_id, key: createSecretKey(row.key) };
      if (key && this.mayStillKeep(forgotten)) this.byId.set(key.id, key);
      found.set(row.key_id, key);
    }
    return found;
  }

  /**
   * Destroys the person's key for good, wherever it is held, and whether or not there ever was one: none is made any
   * more. `keyId`: of that key, where it is known, so that a vault that never had it knows it as destroyed. Answers
   * whether it was there. @throws {LogUnavailable}
   */
  async destroy(person: string, keyId: string | undefined): Promise<boolean> {
    const { rows } = await this.query<{ was_there: boolean }>({
      text: `
        WITH before AS (SELECT key IS NOT NULL AS was_there FROM person_key WHERE person_id = $1),
        gone AS (
          INSERT INTO person_key (key_id, person_id, key, destroyed_at) VALUES ($2, $1, NULL, now())
          ON CONFLICT (person_id) DO UPDATE SET key = NULL, destroyed_at = now() WHERE person_key.key IS NOT NULL
          RETURNING key_id, person_id)
        SELECT coalesce((SELECT was_there FROM before), false) AS was_there,
          pg_notify('${DESTROYED_CHANNEL}', key_id::text || ' ' || person_id)
        FROM gone`,
      values: [person, keyId ?? this.newKey().id],
    });
    const held = this.byPerson.get(person);
    this.forget({ keyId: keyId ?? held?.id ?? '', person });
    return rows[0]?.was_there ?? false;
  }

  /** Those of these people whose keys are not destroyed. @throws {LogUnavailable} */
  async notDestroyed(people: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.query<{ person: string }>({
      text: `
        SELECT person FROM unnest($1::text[]) AS person LEFT JOIN person_key ON person_id = person
        WHERE person_id IS NULL OR key IS NOT NULL`,
      values: [people],
    });
    return rows.map(({ person }) => person);
  }

  /**
   * Postgres keeps what was overwritten in its files until they are written anew. Where that is a moment's work it is done
   * here, since a key that can be read off the disk is not destroyed; else its place is given free to be overwritten.
   * False: somebody reads for long, a backup say, and nobody is to wait behind that. @throws {LogUnavailable}
   */
  async rewriteFiles(): Promise<boolean> {
    const { rows } = await this.query<{ size: string }>({
      text: "SELECT pg_total_relation_size('person_key') AS size",
    });
    const how = Number(rows[0]?.size) <= REWRITTEN_BYTES ? '(FULL)' : '(SKIP_LOCKED)';
    const client = await this.pool.connect();
    // What breaks while it is held is told by what is asked of it.
    client.on('error', () => undefined);
    try {
      await client.query("SET lock_timeout = '300ms'");
      await client.query(`VACUUM ${how} person_key`);
      await leaveJournal(client);
      return true;
    } catch (cause) {
      if (cause instanceof DatabaseError && cause.code === LOCK_NOT_AVAILABLE) return false;
      if (!isUnreachable(cause)) throw cause;
      throw new LogUnavailable('The key vault did not answer.', { cause });
    } finally {
      // The setting goes with the connection.
      client.release(true);
    }
  }

  mayKeep(may: boolean): void {
    this.keeps = may;
    this.forgotten++;
    if (may) return;
    this.byPerson.clear();
    this.byId.clear();
  }

  forget({ keyId, person }: { readonly keyId: string; readonly person: string }): void {
    this.forgotten++;
    this.byPerson.delete(person);
    this.byId.delete(keyId);
  }

  private mayStillKeep(forgotten: number): boolean {
    return this.keeps && forgotten === this.forgotten;
  }

  private async select(person: string): Promise<KeyRow | undefined> {
    const { rows } = await this.query<KeyRow>({
      name: 'vault-key-of-person',
      text: 'SELECT key_id, key FROM person_key WHERE person_id = $1',
      values: [person],
    });
    return rows[0];
  }

  /** Two processes may meet here for the same new person: the first insert wins, both read the winner's key. */
  private async create(person: string): Promise<KeyRow> {
    const { id, key } = this.newKey();
    await this.query({
      text: 'INSERT INTO person_key (key_id, person_id, key) VALUES ($1, $2, $3) ON CONFLICT (person_id) DO NOTHING',
      values: [id, person, key],
    });
    const row = await this.select(person);
    if (!row) throw new Error('The vault lost a key that was just made.');
    return row;
  }

  /** An event can be neither written nor read without its key: a vault out of reach is a log out of reach. */
  private async query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> {
    try {
      return await this.pool.query<Row>(query);
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      throw new LogUnavailable('The key vault did not answer.', { cause });
    }
  }
}
