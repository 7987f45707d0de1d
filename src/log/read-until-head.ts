import type { Batch, EventLog, EventReference, SubscribeOptions } from './event-log.js';
import type { Recorded } from './recorded.js';

/**
 * All events of these types, oldest first, in batches; ends at the end of the log. Rejects with the signal's reason
 * when it aborts.
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
