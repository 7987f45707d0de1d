import { Failure } from '../../base/terminal/failure.js';
import { exportEvents } from '../export/export.js';
import { writeCompleteUntil } from '../data-set/complete-until.js';
import type { Exported } from '../export/export.js';
import { withDataSet } from '../export/export-data-set.js';
import { demoKey } from '../data-set/demo-key.js';
import { inventedTown } from './town.js';

/** The time at which the demo's data were exported, so that the data set is the same in each run. */
const EXPORTED_AT = Date.UTC(2026, 2, 2);

/** Exports an invented log. @throws {Failure} */
export function writeDemo(dir: string, signal: AbortSignal): Promise<Exported> {
  const events = inventedTown();
  async function* undecoded() {
    yield await Promise.resolve({ events, caughtUp: true });
  }
  const now = () => EXPORTED_AT;
  return withDataSet(dir, { now, randomBytes: () => demoKey }, async (dataSet) => {
    if (dataSet.state.checkpoint || !dataSet.key.equals(demoKey))
      throw new Failure(`${dir} is a data set already: name a new directory`);
    const exported = await exportEvents({ undecoded }, dataSet, { follow: false, signal, now });
    writeCompleteUntil(dir, dataSet.state, EXPORTED_AT);
    dataSet.tellState();
    return exported;
  });
}
