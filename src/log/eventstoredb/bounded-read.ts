import { AccessDeniedError, BACKWARDS, END, FORWARDS } from '@eventstore/db-client';
import type { EventStoreDBClient, ReadAllOptions, RecordedEvent } from '@eventstore/db-client';
import { codeOf, DeadlineExceeded, isAmbiguous } from './client-errors.js';
import type { Connection } from './connection.js';
import { LogReplaced, LogUnavailable } from '../event-log.js';
import type { Checkpoint } from '../event-log.js';
import { verifyRepeatedly } from '../look-again.js';

export const READ_DEADLINE_MS = 2_000;

/** A follower may lag unnoticed. With this option it names the leader, and the client reconnects to that node. */
export const FROM_LEADER = { requiresLeader: true } as const;

type BoundedRead = AsyncIterable<{ event?: RecordedEvent }> & { cancel(): Promise<void> };

export async function collect(reading: BoundedRead, signal: AbortSignal): Promise<RecordedEvent[]> {
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

export async function newestOf(
  client: EventStoreDBClient,
  signal: AbortSignal,
): Promise<RecordedEvent | undefined> {
  const end = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
  const [newest] = await collect(client.readAll({ ...end, ...FROM_LEADER }), signal);
  return newest;
}

export const readAll = (
  connection: Connection,
  options: ReadAllOptions & { readonly maxCount: number },
): Promise<RecordedEvent[]> =>
  connection.ask(READ_DEADLINE_MS, (client, signal) =>
    collect(client.readAll({ ...options, ...FROM_LEADER }), signal),
  );

/**
 * Resolves if the log has this event at this position. A restored or replaced log may have another event there, the
 * middle of one, or none. Servers answer the middle of a record with UNKNOWN, so every answer except a match or an
 * outage counts as a mismatch if further attempts agree. Each attempt opens a connection, which reads the end of the
 * log first.
 * @throws {LogReplaced} the log does not have it. {@link LogUnavailable} an outage: nothing is proven.
 */
export async function verifyCheckpoint(
  connection: Connection,
  checkpoint: Checkpoint,
  signal?: AbortSignal,
): Promise<void> {
  const mismatch = await verifyRepeatedly(
    () => connection.renew(),
    () => findMismatch(connection, checkpoint),
    signal,
  );
  if (!mismatch) return;
  const { position, eventId } = checkpoint;
  throw new LogReplaced(
    `The log was replaced: it ${mismatch.instead} position ${position}, where event ${eventId} was.`,
    {
      cause: mismatch.cause,
    },
  );
}

async function findMismatch(
  connection: Connection,
  { position, eventId }: Checkpoint,
): Promise<{ readonly instead: string; readonly cause?: unknown } | undefined> {
  const fromPosition = { commit: position, prepare: position };
  const at = { direction: FORWARDS, fromPosition, maxCount: 1 } as const;
  try {
    const [event] = await readAll(connection, at);
    return event?.id === eventId ? undefined : { instead: `has ${event?.id ?? 'nothing'} at` };
  } catch (cause) {
    // A denied read proves nothing about the log.
    const isProof =
      codeOf(cause) !== undefined && !isAmbiguous(cause) && !(cause instanceof AccessDeniedError);
    if (!isProof) throw unavailable(cause);
    return { instead: 'rejects', cause };
  }
}

function unavailable(cause: unknown): LogUnavailable {
  return new LogUnavailable(
    cause instanceof DeadlineExceeded
      ? 'The event log did not return the event at the checkpoint in time.'
      : 'The event log did not return the event at the checkpoint.',
    { cause },
  );
}
