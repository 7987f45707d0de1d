import type { NetworkFounded } from '../../domain/network/events.js';
import { networkMissing } from '../../domain/network/network.js';
import type { EventLog } from '../../log/event-log.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';

/** @throws {Refusal} `recovery_state_missing`: the log has no network yet. {@link LogUnavailable} */
export async function foundedNetwork(log: EventLog): Promise<NetworkFounded['data']> {
  const [first] = await readNewest(
    log,
    () => log.read(streams.network(), { limit: 1 }),
    (found) => found.length > 0,
  );
  if (first?.event.type !== 'network.founded') throw networkMissing();
  return first.event.data;
}
