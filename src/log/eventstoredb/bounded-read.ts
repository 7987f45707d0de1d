import { AccessDeniedError, BACKWARDS, END, FORWARDS } from '@eventstore/db-client';
import type { EventStoreDBClient, ReadAllOptions, RecordedEvent } from '@eventstore/db-client';
import { codeOf, DeadlineExceeded, isAmbiguous } from './client-errors.js';
import type { Connection } from './connection.js';
import { LogReplaced, LogUnavailable } from '../event-log.js';
import type { Checkpoint } from '../event-log.js';
import { verifyRepeatedly } from '../look-again.js';

/** Longest time for one bounded read. */
export const READ_DEADLINE_MS = 2_000;

/** A follower may lag behind without saying so; asked like this, it names the leader, and the client goes there. */
export const FROM_LEADER = { requiresLeader: true } as const;

type Reading = AsyncIterable<{ event?: RecordedEvent }> & { cancel(): Promise<void> };

/** All events of a bounded read. Rejects with the client's errors, or with the reason of `signal`, which ends the read. */
export async function collect(reading: Reading, signal: AbortSignal): Promise<RecordedEvent[]> {
  // A client that still looks for a node has nothing to cancel, and rejects when it finds none.
  const cancel = (): void => void reading.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    const events: RecordedEvent[] = [];
    for await (const { event } of reading) if (event) events.push(event);
    // A read that is cancelled ends like one that is complete.
    signal.throwIfAborted();
    return events;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The newest event of the log, whatever it is. */
export async function newestOf(
  client: EventStoreDBClient,
  signal: AbortSignal,
): Promise<RecordedEvent | undefined> {
  const end = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
  const [newest] = await collect(client.readAll({ ...end, ...FROM_LEADER }), signal);
  return newest;
}

/** A page of $all, by the leader's word. Rejects with the client's errors. */
export const readAll = (
  connection: Connection,
  options: ReadAllOptions & { readonly maxCount: number },
): Promise<RecordedEvent[]> =>
  connection.ask(READ_DEADLINE_MS, (client, signal) =>
    collect(client.readAll({ ...options, ...FROM_LEADER }), signal),
  );

/**
 * Resolves if the log has this event at this position. A restored or replaced log may have another event there, the
 * middle of one, or none. A server answers the middle of a record with UNKNOWN. So every answer that is neither yes nor an
 * outage counts as no, if further looks agree; before each of them the end of the log is read, as at the begin of every
 * connection.
 * @throws {LogReplaced} the log does not have it. {@link LogUnavailable} an outage: nothing is known.
 */
export async function verifyCheckpoint(
  connection: Connection,
  checkpoint: Checkpoint,
  signal?: AbortSignal,
): Promise<void> {
  const found = await verifyRepeatedly(
    () => connection.renew(),
    () => lookAt(connection, checkpoint),
    signal,
  );
  if (!found) return;
  const { position, eventId } = checkpoint;
  throw new LogReplaced(`The log ${found.instead} position ${position}, where event ${eventId} was.`, {
    cause: found.cause,
  });
}

/** What is there in place of the event; undefined: it is there. @throws {LogUnavailable} */
async function lookAt(
  connection: Connection,
  { position, eventId }: Checkpoint,
): Promise<{ readonly instead: string; readonly cause?: unknown } | undefined> {
  const fromPosition = { commit: position, prepare: position };
  const at = { direction: FORWARDS, fromPosition, maxCount: 1 } as const;
  try {
    const [event] = await readAll(connection, at);
    return event?.id === eventId ? undefined : { instead: `has ${event?.id ?? 'nothing'} at` };
  } catch (cause) {
    // Who may not ask is told nothing of the log.
    const isAnswer =
      codeOf(cause) !== undefined && !isAmbiguous(cause) && !(cause instanceof AccessDeniedError);
    if (!isAnswer) throw unavailable(cause);
    return { instead: 'refuses', cause };
  }
}

function unavailable(cause: unknown): LogUnavailable {
  return new LogUnavailable(
    cause instanceof DeadlineExceeded
      ? 'The event log did not answer in time when asked for the event at the checkpoint.'
      : 'The event log could not be asked for the event at the checkpoint.',
    { cause },
  );
}
