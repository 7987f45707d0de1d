import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import type { TestNetwork } from './network.js';

/** The event log of a network, decrypted: for events that no read shows. */
export function openLogOf({ env }: Pick<TestNetwork, 'env'>): Promise<OpenLog> {
  return openLog({
    eventStoreUrl: env['EVENTSTORE_URL'] ?? '',
    vaultDatabaseUrl: env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
}
