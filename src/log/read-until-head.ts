import type { Batch, EventLog, EventReference, SubscribeOptions } from './event-log.js';
import type { Recorded } from './recorded.js';

/**
 * Yields all events of these types in batches, oldest first. Ends when it has caught up with the log. Rejects with
 * the reason of the signal when that aborts.
 * @throws {LogUnavailable} and the errors of {@link EventLog.subscribe}.
 */
export function readUntilHead(
  log: EventLog,
  options: Omit<SubscribeOptions, 'after'>,
): AsyncGenerator<readonly Recorded[]> {
  return untilCaughtUp(log.subscribe({ ...options, after: undefined }), options.signal);
}

export function readReferencesUntilHead(
  log: EventLog,
  options: Omit<SubscribeOptions, 'after'>,
): AsyncGenerator<readonly EventReference[]> {
  return untilCaughtUp(log.references({ ...options, after: undefined }), options.signal);
}

async function* untilCaughtUp<Event>(
  batches: AsyncIterable<Batch<Event>>,
  signal: AbortSignal,
): AsyncGenerator<readonly Event[]> {
  for await (const { events, caughtUp } of batches) {
    yield events;
    if (caughtUp) return;
  }
  signal.throwIfAborted();
}
