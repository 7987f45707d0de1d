import type { Batch, EventLog, EventReference, SubscribeOptions } from './event-log.js';
import type { Recorded } from './recorded.js';

/**
 * Everything of these types that the log has, oldest first, in batches; ends at the end of the log. Rejects with the
 * signal's reason when that aborts. @throws {LogUnavailable} and what else {@link EventLog.subscribe} throws.
 */
export function readUntilHead(
  log: EventLog,
  options: Omit<SubscribeOptions, 'after'>,
): AsyncGenerator<readonly Recorded[]> {
  return untilCaughtUp(log.subscribe({ ...options, after: undefined }), options.signal);
}

/** The same as {@link readUntilHead}, without the content. */
export function referencesToTheEnd(
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
