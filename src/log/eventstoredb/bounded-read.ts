import { BACKWARDS, END } from '@eventstore/db-client';
import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';

export const READ_DEADLINE_MS = 2_000;

/**
 * Option of a call: only the leader answers it. A follower, which may lag unnoticed, refuses it and names the leader.
 */
export const FROM_LEADER = { requiresLeader: true } as const;

type BoundedRead = AsyncIterable<{ event?: RecordedEvent }> & { cancel(): Promise<void> };

export async function collectEvents(reading: BoundedRead, signal: AbortSignal): Promise<RecordedEvent[]> {
  const cancel = (): void => void reading.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    const events: RecordedEvent[] = [];
    for await (const { event } of reading) if (event) events.push(event);
    // A cancelled read ends like a complete one.
    signal.throwIfAborted();
    return events;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

export async function readNewest(
  client: EventStoreDBClient,
  signal: AbortSignal,
): Promise<RecordedEvent | undefined> {
  const end = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
  const [newest] = await collectEvents(client.readAll({ ...end, ...FROM_LEADER }), signal);
  return newest;
}
