import type { Pool } from 'pg';

export type SecretName =
  | 'handle-digest'
  | 'pairwise-subjects'
  | 'cookie-keys'
  | 'signing-keys'
  | 'log-keys'
  | 'page-cursors'
  | 'limit-keys'
  | 'passkey-challenges'
  | 'mail-keys'
  // No secret, but as durable: records that the network has a witness, whatever a process is configured with.
  | 'has-witness';

/**
 * Secrets of the whole network, in the database of the vault: all processes share them. Stored data rely on them,
 * such as pairwise subjects and the names of handle streams, so they must outlive a restore of the log or the read
 * store.
 */
export class NetworkSecrets {
  constructor(private readonly pool: Pool) {}

  /**
   * Returns a secret, and creates it with `create` if it does not exist. If two processes create it at once, both get
   * the one that was stored first.
   */
  async get(name: SecretName, create: () => Buffer | Promise<Buffer>): Promise<Buffer> {
    const existing = await this.find(name);
    if (existing) return existing;
    await this.pool.query(
      'INSERT INTO network_secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      [name, await create()],
    );
    const created = await this.find(name);
    if (!created)
      throw new Error(`The new secret ${name} is missing from the vault right after its insertion.`);
    return created;
  }

  async replace(name: SecretName, read: Buffer, secret: Buffer): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'UPDATE network_secret SET value = $3 WHERE name = $1 AND value = $2',
      [name, read, secret],
    );
    return rowCount === 1;
  }

  async find(name: SecretName): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ value: Buffer }>(
      'SELECT value FROM network_secret WHERE name = $1',
      [name],
    );
    return rows[0]?.value;
  }
}
