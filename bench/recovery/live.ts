import { openLog } from '../../src/log/open-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { BenchNetwork } from '../network.js';
import { shown } from '../reads/seed.js';

/** Runs `work` on a running network's log, and waits until its reads show the result. */
export async function live({ run }: BenchNetwork, work: (log: EventLog) => Promise<void>): Promise<void> {
  const { EVENTSTORE_URL = '', VAULT_DATABASE_URL = '', DATABASE_URL = '' } = run.settings;
  const database = await openReadStore({ url: DATABASE_URL, applicationName: 'bench', maxConnections: 2 });
  const opened = await openLog({
    eventStoreUrl: EVENTSTORE_URL,
    vaultDatabaseUrl: VAULT_DATABASE_URL,
    applicationName: 'bench',
  });
  await work(opened.log);
  await shown(opened.log, database.pool);
  await opened.close();
  await database.close();
}
