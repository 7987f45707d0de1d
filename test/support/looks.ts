import type { EventLog } from '../../src/log/event-log.js';
import type { EventOf } from '../../src/log/registry.js';

/** The looks of an operator that the log has, in its order, without operator and time. */
export async function looksOf(
  log: EventLog,
  operatorId: string,
): Promise<readonly Omit<EventOf<'look.recorded'>['data'], 'operatorId' | 'at'>[]> {
  const stop = new AbortController();
  const looks: EventOf<'look.recorded'>['data'][] = [];
  const options = {
    after: undefined,
    types: ['look.recorded'],
    batchSize: 500,
    signal: stop.signal,
  } as const;
  for await (const { events, caughtUp } of log.subscribe(options)) {
    looks.push(...events.flatMap(({ event }) => (event.type === 'look.recorded' ? [event.data] : [])));
    if (caughtUp) break;
  }
  stop.abort();
  return looks
    .filter((look) => look.operatorId === operatorId)
    .map(({ operatorId: _by, at: _at, ...look }) => look);
}
