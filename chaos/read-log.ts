import { FORWARDS, START } from '@eventstore/db-client';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { readEventStoreAddress } from '../src/base/config/event-store-files.js';
import { within } from '../src/log/client-errors.js';
import { connect } from '../src/log/eventstoredb/connect.js';
import { nodeToAsk } from '../src/log/eventstoredb/gossip.js';
import type { LogEvent } from './history.js';

const LONGEST_READ_MS = 5 * 60_000;

/** Reads all events without the server's own. Rejects after {@link LONGEST_READ_MS}. */
export async function readLog(url: string): Promise<LogEvent[]> {
  const address = readEventStoreAddress(url);
  const client = connect(address, await nodeToAsk(address));
  try {
    return await within(LONGEST_READ_MS, () => allEvents(client));
  } finally {
    await client.dispose();
  }
}

async function allEvents(client: EventStoreDBClient): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const reading = client.readAll({ direction: FORWARDS, fromPosition: START, requiresLeader: true });
  for await (const { event } of reading) {
    if (!event || event.type.startsWith('$')) continue;
    const metadata = (event.metadata ?? {}) as { actorId?: string; intentId?: string };
    events.push({
      id: event.id,
      stream: event.streamId,
      revision: Number(event.revision),
      position: Number(event.position?.commit),
      type: event.type,
      data: event.data as Record<string, unknown>,
      actorId: metadata.actorId,
      intentId: metadata.intentId,
    });
  }
  return events;
}
