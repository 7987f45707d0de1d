import { EventStoreDBClient, FORWARDS, START } from '@eventstore/db-client';
import type { LogEvent } from './history.js';

/** Every event of the log as the plain client reads it, without those of the server itself. */
export async function readLog(url: string): Promise<LogEvent[]> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    const events: LogEvent[] = [];
    const reading = client.readAll({ direction: FORWARDS, fromPosition: START, resolveLinkTos: false });
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
  } finally {
    await client.dispose();
  }
}
