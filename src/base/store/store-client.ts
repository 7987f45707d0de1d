import { Client, Pool } from 'pg';
import type { ClientConfig, PoolConfig } from 'pg';

/**
 * A client whose lost connection fails its statements, and nothing else. `pg` also emits `error` then, which ends a process
 * that has no listener: a pool has none on a client that is in use (node-postgres.com/apis/pool, "Events").
 */
export class StoreClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** Returns a pool of {@link StoreClient}s. It discards idle clients whose connection is lost. */
export function storePool(config: PoolConfig): Pool {
  return new Pool({ Client: StoreClient, ...config }).on('error', () => undefined);
}
