import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { DataSet } from '../../src/analytics/data-set/data-set.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import type { EventLog } from '../../src/log/event-log.js';
import { percentiles } from '../percentiles.js';
import type { Percentiles } from '../percentiles.js';

const EVENTS = 40;
const EVERY_MS = 500;
const POLL_MS = 20;

/** From the acknowledgment of an event until a commit of `--follow` has it. */
export async function measureStaleness(log: EventLog, dir: string): Promise<Percentiles> {
  const initial = { personal: 'none', since: null } as const;
  const dataSet = DataSet.open(dir, initial, { now: Date.now, randomBytes });
  const stop = new AbortController();
  const following = exportEvents(log, dataSet, { follow: true, signal: stop.signal, now: Date.now });
  const waiting: { readonly position: number; readonly since: number }[] = [];
  const took: number[] = [];
  let appended = 0;
  try {
    for (let last = 0; took.length < EVENTS; await pause(POLL_MS)) {
      const exported = requireState(dir).checkpoint?.position ?? -1;
      while (waiting[0] && waiting[0].position <= exported) {
        took.push(performance.now() - waiting[0].since);
        waiting.shift();
      }
      if (appended === EVENTS || performance.now() - last < EVERY_MS) continue;
      last = performance.now();
      appended += 1;
      const actorId = randomUUID();
      const event = { type: 'account.signed_in', data: { actorId, at: Date.now() } } as const;
      const { position } = await log.append({
        stream: `plaza_bench-${actorId}`,
        expected: 'no_stream',
        events: [{ id: randomUUID(), event }],
        metadata: { requestId: 'bench', actorId },
      });
      waiting.push({ position: Number(position), since: performance.now() });
    }
  } finally {
    stop.abort();
    await following;
    dataSet.close();
  }
  return percentiles(took);
}
