import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isUnreachable } from '../../base/store/unreachable.js';
import { LogUnavailable } from '../event-log.js';
import { DESTROYED_CHANNEL } from './destroyed-keys.js';
import type { KeyCache } from './destroyed-keys.js';

/** Encryption key of a person: 256 bits, as a `KeyObject`, because OpenSSL handles plain bytes more slowly. */
export interface PersonKey {
  readonly id: string;
  readonly key: KeyObject;
}

export class PersonErased extends Error {
  override readonly name = 'PersonErased';
}

interface KeyRow {
  readonly key_id: string;
  readonly key: Buffer | null;
}

/**
 * Size and time limit of the key caches: some megabytes, and a minute. Keys are cached only while this process
 * receives the notifications of destroyed keys.
 */
const CACHE = { max: 20_000, ttl: 60_000 };

/**
 * Keys of persons, one each, in a database apart from the log (docs/recovery.md, "The stores"). Destroying the key
 * makes the texts of the person unreadable in every copy of the log.
 */
export class KeyVault implements KeyCache {
  private isCaching = false;
  /**
   * Number of evictions. If it changes while a key is read from the database, that key may be destroyed, and is not
   * cached.
   */
  private evictions = 0;
  private readonly byPerson = new LRUCache<string, PersonKey>(CACHE);
  private readonly byId = new LRUCache<string, PersonKey>(CACHE);

  constructor(
    private readonly pool: Pool,
    private readonly newKey: () => { readonly id: string; readonly key: Buffer },
  ) {}

  /**
   * Returns the key of a person, and creates it at the first call.
   * @throws {PersonErased} the key is destroyed. {@link LogUnavailable} the vault does not answer.
   */
  async keyOf(person: string): Promise<PersonKey> {
    const cached = this.byPerson.get(person);
    if (cached) return cached;
    const { evictions } = this;
    const row = (await this.select(person)) ?? (await this.create(person));
    if (row.key === null)
      throw new PersonErased('The account is erased: its data can be neither read nor written.');
    const found = { id: row.key_id, key: createSecretKey(row.key) };
    if (!this.isCacheable(evictions)) return found;
    this.byPerson.set(person, found);
    this.byId.set(found.id, found);
    return found;
  }

  /**
   * Returns keys by their ids. Undefined: the key is destroyed. No entry: the vault never had it. @throws
   * {LogUnavailable}
   */
  async keysById(ids: Iterable<string>): Promise<ReadonlyMap<string, PersonKey | undefined>> {
    const found = new Map<string, PersonKey | undefined>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const cached = this.byId.get(id);
      if (cached) found.set(id, cached);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const { evictions } = this;
    const { rows } = await this.query<KeyRow>({
      name: 'vault-keys-by-id',
      text: 'SELECT key_id, key FROM person_key WHERE key_id = ANY($1::uuid[])',
      values: [missing],
    });
    for (const row of rows) {
      const key = row.key === null ? undefined : { id: row.key_id, key: createSecretKey(row.key) };
      if (key && this.isCacheable(evictions)) this.byId.set(key.id, key);
      found.set(row.key_id, key);
    }
    return found;
  }

  /**
   * Destroys the key of a person for good: no other key can be created for the person. `keyId`: the id of the key, if
   * known, so that a vault without it (restored from an older backup) records it as destroyed.
   * @returns True if the vault had the key.
   * @throws {LogUnavailable}
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
    const cached = this.byPerson.get(person);
    this.evict({ keyId: keyId ?? cached?.id ?? '', person });
    return rows[0]?.was_there ?? false;
  }

  async notDestroyed(people: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.query<{ person: string }>({
      text: `
        SELECT person FROM unnest($1::text[]) AS person LEFT JOIN person_key ON person_id = person
        WHERE person_id IS NULL OR key IS NOT NULL`,
      values: [people],
    });
    return rows.map(({ person }) => person);
  }

  allowCaching(may: boolean): void {
    this.isCaching = may;
    this.evictions++;
    if (may) return;
    this.byPerson.clear();
    this.byId.clear();
  }

  evict({ keyId, person }: { readonly keyId: string; readonly person: string }): void {
    this.evictions++;
    this.byPerson.delete(person);
    this.byId.delete(keyId);
  }

  private isCacheable(evictions: number): boolean {
    return this.isCaching && evictions === this.evictions;
  }

  private async select(person: string): Promise<KeyRow | undefined> {
    const { rows } = await this.query<KeyRow>({
      name: 'vault-key-of-person',
      text: 'SELECT key_id, key FROM person_key WHERE person_id = $1',
      values: [person],
    });
    return rows[0];
  }

  /** Creates the key of a person. If two processes do so at once, the first insert wins, and both return its key. */
  private async create(person: string): Promise<KeyRow> {
    const { id, key } = this.newKey();
    const { rows } = await this.query<KeyRow>({
      name: 'vault-new-key',
      text: `INSERT INTO person_key (key_id, person_id, key) VALUES ($1, $2, $3) ON CONFLICT (person_id) DO NOTHING
        RETURNING key_id, key`,
      values: [id, person, key],
    });
    const row = rows[0] ?? (await this.select(person));
    if (!row)
      throw new Error("A person's new encryption key is missing from the vault right after its insertion.");
    return row;
  }

  private async query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> {
    try {
      return await this.pool.query<Row>(query);
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      throw new LogUnavailable('The key vault did not answer.', { cause });
    }
  }
}
