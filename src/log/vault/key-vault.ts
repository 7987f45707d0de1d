import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';

/** The key that seals one person's fields. `key` is 32 bytes (AES-256). */
export interface PersonKey {
  readonly id: string;
  readonly key: Buffer;
}

/** The person was erased: their key is destroyed, and nothing about them can be written or read again. */
export class PersonErased extends Error {
  override readonly name = 'PersonErased';
}

interface KeyRow {
  readonly key_id: string;
  readonly key: Buffer | null;
}

/** Keys held in memory at most; a key is 32 bytes, so this is a few megabytes. */
const CACHED_KEYS = 20_000;

/**
 * One key a person, in a database of its own (recovery.md, "Four stores"). Destroying the key is what erases the
 * person from every copy of the log.
 */
export class KeyVault {
  private readonly byPerson = new LRUCache<string, PersonKey>({ max: CACHED_KEYS });
  private readonly byId = new LRUCache<string, PersonKey>({ max: CACHED_KEYS });

  constructor(
    private readonly pool: Pool,
    private readonly newKey: () => PersonKey,
  ) {}

  /** The person's key; made at the first call for a person. @throws {PersonErased} */
  async keyOf(person: string): Promise<PersonKey> {
    const cached = this.byPerson.get(person);
    if (cached) return cached;
    const row = (await this.select(person)) ?? (await this.create(person));
    if (row.key === null) throw new PersonErased('The account is erased.');
    const found = { id: row.key_id, key: row.key };
    this.byPerson.set(person, found);
    this.byId.set(found.id, found);
    return found;
  }

  /** The keys with these ids: undefined for one that is destroyed, no entry for one that never was here. */
  async keysById(ids: Iterable<string>): Promise<ReadonlyMap<string, PersonKey | undefined>> {
    const found = new Map<string, PersonKey | undefined>();
    const wanted: string[] = [];
    for (const id of new Set(ids)) {
      const cached = this.byId.get(id);
      if (cached) found.set(id, cached);
      else wanted.push(id);
    }
    if (wanted.length === 0) return found;
    const { rows } = await this.pool.query<KeyRow>({
      name: 'vault-keys-by-id',
      text: 'SELECT key_id, key FROM person_key WHERE key_id = ANY($1::uuid[])',
      values: [wanted],
    });
    for (const row of rows) {
      const key = row.key === null ? undefined : { id: row.key_id, key: row.key };
      if (key) this.byId.set(key.id, key);
      found.set(row.key_id, key);
    }
    return found;
  }

  private async select(person: string): Promise<KeyRow | undefined> {
    const { rows } = await this.pool.query<KeyRow>({
      name: 'vault-key-of-person',
      text: 'SELECT key_id, key FROM person_key WHERE person_id = $1',
      values: [person],
    });
    return rows[0];
  }

  /** Two processes may meet here for the same new person: the first insert wins, both read the winner's key. */
  private async create(person: string): Promise<KeyRow> {
    const { id, key } = this.newKey();
    await this.pool.query(
      `INSERT INTO person_key (key_id, person_id, key) VALUES ($1, $2, $3) ON CONFLICT (person_id) DO NOTHING`,
      [id, person, key],
    );
    const row = await this.select(person);
    if (!row) throw new Error('The vault lost a key that was just made.');
    return row;
  }
}
