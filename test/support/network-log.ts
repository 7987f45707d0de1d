import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import type { SubscribeOptions } from '../../src/log/event-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { TestNetwork } from './network.js';

/** The event log of a network, decrypted: for events that no read shows. */
export function openLogOf({ env }: Pick<TestNetwork, 'env'>): Promise<OpenLog> {
  return openLog({
    eventStoreUrl: env['EVENTSTORE_URL'] ?? '',
    vaultDatabaseUrl: env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
}

/** All events of these types in the log, the oldest first. */
export async function eventsInLog(
  network: Pick<TestNetwork, 'env'>,
  types: SubscribeOptions['types'],
): Promise<Recorded[]> {
  const opened = await openLogOf(network);
  const found: Recorded[] = [];
  const [after, { signal }] = [undefined, new AbortController()];
  try {
    for await (const { events, caughtUp } of opened.log.subscribe({ after, types, batchSize: 500, signal })) {
      found.push(...events);
      if (caughtUp) break;
    }
    return found;
  } finally {
    await opened.close();
  }
}
