import { ProjectionStoppedError } from '../runner/faults.js';
import { WrongExpectedRevision } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';

export interface NetworkIds {
  uuid(): string;
  networkId(): string;
}

/**
 * Returns the id of the network of this log, read from the leader; undefined before the network is founded.
 * @throws {LogUnavailable}
 */
export async function networkOf(log: EventLog): Promise<string | undefined> {
  const [first] = await log.read(streams.network(), { limit: 1, isProof: true });
  return first?.event.type === 'network.founded' ? first.event.data.networkId : undefined;
}

/**
 * Founds the network in an empty log. Of all concurrent processes one succeeds, and all return the same id.
 * `now`: Unix milliseconds.
 * @throws {LogUnavailable}
 * @throws {ProjectionStoppedError} the stream begins with another event.
 */
export async function foundNetwork(log: EventLog, ids: NetworkIds, now: () => number): Promise<string> {
  const founded = await networkOf(log);
  if (founded !== undefined) return founded;
  const networkId = ids.networkId();
  try {
    await log.append({
      stream: streams.network(),
      expected: 'no_stream',
      events: [{ id: ids.uuid(), event: { type: 'network.founded', data: { networkId, at: now() } } }],
      metadata: { requestId: ids.uuid() },
    });
    return networkId;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    const foundedByOther = await networkOf(log);
    if (foundedByOther !== undefined) return foundedByOther;
    throw new ProjectionStoppedError(
      `The stream ${streams.network()} does not begin with network.founded.`,
      undefined,
      {
        cause: error,
      },
    );
  }
}
