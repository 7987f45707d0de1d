import { setTimeout as pause } from 'node:timers/promises';
import { BACKWARDS, END, FORWARDS } from '@eventstore/db-client';
import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import { DeadlineExceeded, isAmbiguous, within } from './client-errors.js';
import { LogReplaced, LogUnavailable } from './event-log.js';
import type { Checkpoint } from './event-log.js';

/** Longest time for one bounded read. */
const READ_DEADLINE_MS = 2_000;
/** Before a second look: a new leader has caught up by then. */
const LOOK_AGAIN_MS = 1_000;

/** For reads that prove something: a follower may lag behind without saying so. */
export const FROM_LEADER = { requiresLeader: true } as const;

type Reading = AsyncIterable<{ event?: RecordedEvent }> & { cancel(): Promise<void> };

/** All events of a bounded read. Rejects with the client's errors, or {@link DeadlineExceeded} after 2 s. */
export async function collect(reading: Reading): Promise<RecordedEvent[]> {
  const all = async () => {
    const events: RecordedEvent[] = [];
    for await (const { event } of reading) if (event) events.push(event);
    return events;
  };
  // A client that still looks for a node has nothing to cancel, and rejects when it finds none.
  return within(READ_DEADLINE_MS, all(), () => void reading.cancel().catch(() => undefined));
}

/**
 * Resolves if the log has this event at this position. A restored or replaced log may have another event there, the
 * middle of one, or none. EventStoreDB answers the middle of a record with UNKNOWN, the embedded store with
 * INVALID_ARGUMENT. So every answer that is neither yes nor an outage counts as no, if a read of the end succeeds in
 * between and a second look a second later agrees.
 * @throws {LogReplaced} the log does not have it. {@link LogUnavailable} an outage: nothing is known.
 */
export async function verifyCheckpoint(client: EventStoreDBClient, checkpoint: Checkpoint): Promise<void> {
  const first = await lookAt(client, checkpoint);
  if (first === 'found') return;
  await collect(
    client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1, ...FROM_LEADER }),
  ).catch(unavailable);
  await pause(LOOK_AGAIN_MS);
  const second = await lookAt(client, checkpoint);
  if (second === 'found') return;
  const { position, eventId } = checkpoint;
  throw new LogReplaced(`The log ${second.instead} position ${position}, where event ${eventId} was.`, {
    cause: second.cause,
  });
}

type Look = 'found' | { readonly instead: string; readonly cause?: unknown };

/** @throws {LogUnavailable} */
async function lookAt(client: EventStoreDBClient, { position, eventId }: Checkpoint): Promise<Look> {
  const fromPosition = { commit: position, prepare: position };
  try {
    const [event] = await collect(
      client.readAll({ direction: FORWARDS, fromPosition, maxCount: 1, ...FROM_LEADER }),
    );
    if (event?.id === eventId) return 'found';
    return { instead: `has ${event?.id ?? 'nothing'} at` };
  } catch (cause) {
    return isAnswer(cause) ? { instead: 'refuses', cause } : unavailable(cause);
  }
}

/** Whether a server has refused: errors without a gRPC code come from the client itself. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && !isAmbiguous(error);

function unavailable(cause: unknown): never {
  throw new LogUnavailable(
    cause instanceof DeadlineExceeded
      ? 'The event log did not answer in time when asked for the event at the checkpoint.'
      : 'The event log could not be asked for the event at the checkpoint.',
    { cause },
  );
}
