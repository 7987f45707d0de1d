import type { EventLog, SubscribeOptions } from './event-log.js';
import type { Recorded } from './recorded.js';

/**
 * Everything of these types that the log has, oldest first, in batches; ends at the end of the log. Rejects with the
 * signal's reason when that aborts. @throws {LogUnavailable} and what else {@link EventLog.subscribe} throws.
 */
export async function* toTheEnd(
  log: EventLog,
  options: Omit<SubscribeOptions, 'after'>,
): AsyncGenerator<readonly Recorded[]> {
  for await (const { events, caughtUp } of log.subscribe({ ...options, after: undefined })) {
    yield events;
    if (caughtUp) return;
  }
  options.signal.throwIfAborted();
}
