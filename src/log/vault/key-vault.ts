import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isUnreachable } from '../../store/unreachable.js';
import { LogUnavailable } from '../event-log.js';

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
 * Keys held in memory: 32 bytes each, so a few megabytes. Not for long, because another process may destroy one; once
 * that time is over, nothing of that person can be opened here either.
 */
const cached = { max: 20_000, ttl: 60_000 };

/**
 * One key a person, in a database of its own (recovery.md, "Four stores"). Destroying the key is what erases the
 * person from every copy of the log.
 */
export class KeyVault {
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
    const row = (await this.select(person)) ?? (await this.create(person));
    if (row.key === null) throw new PersonErased('The account is erased.');
    const found = { id: row.key_id, key: createSecretKey(row.key) };
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
    const { rows } = await this.query<KeyRow>({
      name: 'vault-keys-by-id',
      text: 'SELECT key_id, key FROM person_key WHERE key_id = ANY($1::uuid[])',
      values: [wanted],
    });
    for (const row of rows) {
      const key = row.key === null ? undefined : { id: row.key_id, key: createSecretKey(row.key) };
      if (key) this.byId.set(key.id, key);
      found.set(row.key_id, key);
    }
    return found;
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
