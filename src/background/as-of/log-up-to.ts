import type { Batch, EventLog, SubscribeOptions } from '../../log/event-log.js';
import { withReferences } from './text-reference.js';

type Log = Pick<EventLog, 'head' | 'subscribe'>;

/**
 * The log as it was at a position (inclusive), with {@link withReferences} in place of texts: a build from it has no text
 * that an erasure would have to find.
 */
export const logUpTo = (log: Pick<EventLog, 'subscribe'>, position: bigint): Log => ({
  head: () => Promise.resolve(position),
  subscribe: (options) => batchesUpTo(log, position, options),
});

async function* batchesUpTo(
  log: Pick<EventLog, 'subscribe'>,
  position: bigint,
  options: SubscribeOptions,
): AsyncGenerator<Batch> {
  for await (const { events, caughtUp } of log.subscribe(options)) {
    const within = events.filter((each) => each.position <= position);
    // Past the position, the next batch may take long to arrive.
    const isOver = caughtUp || within.length < events.length || within.at(-1)?.position === position;
    yield { events: within.map(withReferences), caughtUp: isOver };
    if (isOver) return;
  }
}
