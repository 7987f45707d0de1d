import type { Pool } from 'pg';
import { openReadStore } from '../src/base/store/database.js';
import type { EventLog } from '../src/log/event-log.js';
import { openLog } from '../src/log/open-log.js';
import type { BenchNetwork } from './network.js';

/** Opens the log and the read store of a network, past its API, and closes them after `use`. */
export async function withStores<Result>(
  { run: { settings } }: BenchNetwork,
  use: (log: EventLog, pool: Pool) => Promise<Result>,
): Promise<Result> {
  const {
    EVENTSTORE_URL: eventStoreUrl = '',
    VAULT_DATABASE_URL: vaultDatabaseUrl = '',
    DATABASE_URL: url = '',
  } = settings;
  const database = await openReadStore({ url, applicationName: 'bench', maxConnections: 2 });
  try {
    const opened = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'bench' });
    try {
      return await use(opened.log, database.pool);
    } finally {
      await opened.close();
    }
  } finally {
    await database.close();
  }
}
