import type { Pool } from 'pg';

/** What each secret is for. A secret is made once, at the first start, and changes by an operator's act only. */
export type SecretName =
  | 'handle-digest'
  | 'pairwise-subjects'
  | 'cookie-keys'
  | 'signing-keys'
  | 'page-cursors'
  | 'limit-keys'
  // No secret, but as lasting: that the network has a witness, whatever a process is told.
  | 'has-witness';

/**
 * Secrets of the network as a whole. They live in the vault database, so that every process shares them and a
 * restored log or read store keeps its meaning (the same pairwise subjects, the same handle streams).
 */
export class NetworkSecrets {
  constructor(private readonly pool: Pool) {}

  /** The secret; what `create` makes where there is none yet. Of two processes that create at once, one wins for both. */
  async get(name: SecretName, create: () => Buffer | Promise<Buffer>): Promise<Buffer> {
    const existing = await this.find(name);
    if (existing) return existing;
    await this.pool.query(
      'INSERT INTO network_secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      [name, await create()],
    );
    const made = await this.find(name);
    if (!made) throw new Error(`The secret ${name} could not be kept.`);
    return made;
  }

  /** Puts a secret in the place of the one that was read. False, and nothing is done, if that is not there any more. */
  async replace(name: SecretName, read: Buffer, secret: Buffer): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'UPDATE network_secret SET value = $3 WHERE name = $1 AND value = $2',
      [name, read, secret],
    );
    return rowCount === 1;
  }

  /** Undefined: nobody has made it yet. */
  async find(name: SecretName): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ value: Buffer }>(
      'SELECT value FROM network_secret WHERE name = $1',
      [name],
    );
    return rows[0]?.value;
  }
}
