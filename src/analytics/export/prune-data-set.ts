import { Failure } from '../../base/terminal/failure.js';
import { requireState } from '../data-set/commits.js';
import { dayOf } from '../data-set/paths.js';
import { prune } from '../data-set/prune.js';
import type { PruneOptions } from '../data-set/prune.js';
import { foldedPeopleOf } from '../data-set/state.js';
import { requireFiles } from '../data-set/verify.js';
import { withDataSet } from './export-data-set.js';
import { failureOf } from './failures.js';
import { rowsOf } from './rewind.js';

export interface Pruned {
  readonly firstDay: string;
  readonly days: number;
  readonly events: number;
  readonly folded: number | null;
}

/** @throws {Failure} the directory is no data set, the time lies ahead, or another process changes it. */
export async function pruneDataSet(dir: string, options: PruneOptions, now: () => number): Promise<Pruned> {
  requireState(dir);
  const { before } = options;
  if (before > now())
    throw new Failure(
      `--before ${dayOf(before)} lies ahead: events of days to come would be left out for good; nothing was removed. Name a time in the past`,
    );
  try {
    const removed = await withDataSet(dir, { now }, (dataSet) => {
      // A file to forget may be missing already.
      if (!options.forget) requireFiles(dir, dataSet.state);
      return prune(dataSet, options);
    });
    const days = new Set(removed.map(({ day }) => day)).size;
    const folded = foldedPeopleOf(requireState(dir));
    return { firstDay: dayOf(before), days, events: rowsOf(removed), folded };
  } catch (error) {
    throw await failureOf(error, dir);
  }
}
