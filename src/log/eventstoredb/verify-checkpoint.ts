import { AccessDeniedError, FORWARDS } from '@eventstore/db-client';
import { LogReplaced, LogUnavailable } from '../event-log.js';
import type { Checkpoint } from '../event-log.js';
import { verifyRepeatedly } from '../verify-repeatedly.js';
import { grpcCodeOf, DeadlineExceeded, isAmbiguous } from '../client-errors.js';
import type { Connection } from './connection.js';
import { readAll } from './read-all.js';

/**
 * Resolves if the log has this event at this position. A restored or replaced log may have another event there, the
 * middle of one, or none. Servers answer the middle of an event with UNKNOWN. So every answer but a match or an
 * outage counts as a mismatch, if two further reads agree. Each of these opens a new connection, which reads the end
 * of the log first.
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
      grpcCodeOf(cause) !== undefined && !isAmbiguous(cause) && !(cause instanceof AccessDeniedError);
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
