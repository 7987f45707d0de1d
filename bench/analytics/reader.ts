/** Reads a log in a process of its own, to measure its memory: bare, or as an export. */
import { randomBytes } from 'node:crypto';
import { DataSet } from '../../src/analytics/data-set/data-set.js';
import { exportEvents } from '../../src/analytics/export/export.js';
import { openUndecodedLog } from '../../src/log/open-log.js';

export interface Reading {
  readonly eventStoreUrl: string;
  /** Directory of a new data set; undefined: the events are only counted. */
  readonly dir?: string;
}

export interface ReadingAnswer {
  readonly events: number;
  readonly seconds: number;
  /** Resident size. */
  readonly peakMegabytes: number;
  readonly bytes: number;
}

const { eventStoreUrl, dir } = JSON.parse(process.argv[2] ?? '{}') as Reading;
const log = openUndecodedLog(eventStoreUrl);
const begun = performance.now();
const { events, bytes } = dir === undefined ? await count() : await exportTo(dir);
const answer: ReadingAnswer = {
  events,
  seconds: (performance.now() - begun) / 1_000,
  peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1_024),
  bytes,
};
await log.close();
process.send?.(answer);
process.disconnect();

async function count() {
  const stop = new AbortController();
  let counted = 0;
  for await (const batch of log.undecoded({ after: undefined, batchSize: 2_000, signal: stop.signal })) {
    counted += batch.events.length;
    if (batch.caughtUp) break;
  }
  return { events: counted, bytes: 0 };
}

async function exportTo(target: string) {
  const initial = { personal: 'none', since: null } as const;
  const dataSet = DataSet.open(target, initial, { now: Date.now, randomBytes });
  const signal = new AbortController().signal;
  const exported = await exportEvents(log, dataSet, { follow: false, signal, now: Date.now });
  dataSet.close();
  return {
    events: exported.events,
    bytes: dataSet.state.files.reduce((sum, file) => sum + file.bytes, 0),
  };
}
