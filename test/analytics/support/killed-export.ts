/**
 * Exports, and kills itself at a point. Arguments as JSON: the directory, the address of the event store, and the
 * point; without a point it ends in order. Then the begin of the data set, or null. Prints the point that it reached.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { DataSet } from '../../../src/analytics/data-set/data-set.js';
import type { Phase, Step } from '../../../src/analytics/data-set/steps.js';
import { exportEvents } from '../../../src/analytics/export/export.js';
import { openUndecodedLog } from '../../../src/log/open-log.js';

export interface KillPoint {
  readonly phase: Phase;
  readonly step: Step;
  /** Number of times that the point is reached, from 1. */
  readonly time: number;
}

const [dir, eventStoreUrl, point, since] = process.argv
  .slice(2)
  .map((given) => JSON.parse(given) as unknown) as [string, string, KillPoint | null, number | null];
let times = 0;
const onStep = (phase: Phase, step: Step) => {
  if (phase !== point?.phase || step !== point.step || (times += 1) < point.time) return;
  writeSync(1, JSON.stringify(point));
  process.kill(process.pid, 'SIGKILL');
};
const log = openUndecodedLog(eventStoreUrl);
/** Each commit is an hour after the one before, so that it removes what that one replaced. */
let hours = 0;
const now = () => Date.now() + (hours += 1) * 3_600_000;
const dataSet = DataSet.open(dir, { personal: 'none', since }, { now, randomBytes, onStep });
const signal = new AbortController().signal;
await exportEvents(log, dataSet, { follow: false, signal, now: Date.now, flushRows: 2 });
dataSet.close();
await log.close();
