import type { EventLog } from '../../../src/log/event-log.js';

/** Subscribes to the posts of a log until `stop`; `seen` collects their ids. */
export function follow(log: EventLog) {
  const stopping = new AbortController();
  const seen: string[] = [];
  const options = {
    after: undefined,
    types: ['post.created'],
    batchSize: 10,
    signal: stopping.signal,
  } as const;
  const following = (async () => {
    for await (const { events } of log.subscribe(options)) seen.push(...events.map(({ id }) => id));
  })();
  const stop = () => {
    stopping.abort();
    return following;
  };
  return { seen, stop };
}
