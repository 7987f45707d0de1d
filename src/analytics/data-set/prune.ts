import type { DataSet } from './data-set.js';
import { dayOf } from './paths.js';
import type { DataFile } from './state.js';

/**
 * Removes the days before a time, and leaves their events out of later exports. `before`: Unix milliseconds; the day of
 * that time stays. Returns the removed files.
 */
export function prune(dataSet: DataSet, before: number): readonly DataFile[] {
  const firstDay = dayOf(before);
  const { since, files } = dataSet.state;
  const removed = files.filter(({ day }) => day < firstDay);
  dataSet.commit('flush', { since: Math.max(since ?? 0, Date.parse(firstDay)), removed });
  dataSet.sweep();
  return removed;
}
