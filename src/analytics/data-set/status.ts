import { shapeOf } from '../columns/columns.js';
import type { Personal } from '../columns/columns.js';
import { newestCommit, requireState } from './commits.js';
import { readCompleteUntil } from './complete-until.js';
import { lockForReading } from './reading-lock.js';
import { foldedPeopleOf } from './state.js';
import type { State } from './state.js';
import { lostFile } from './verify.js';

export interface Summary {
  readonly events: number;
  readonly files: number;
  readonly days: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly bytes: number;
  readonly position: number | null;
  readonly committedAt: string;
  readonly personal: Personal;
  readonly operators: boolean;
  readonly since: number | null;
  readonly folded: number | null;
}

export interface Status extends Summary {
  readonly isExporting: boolean;
  /** Number of newer commits that are damaged or lack files, and so do not count. */
  readonly damagedCommits: number;
  /** Unix milliseconds up to which it has every event of the log; null: no export has caught up yet. */
  readonly completeUntil: number | null;
  /** True: files were written by a release with other columns. */
  readonly hasOlderColumns: boolean;
  /** A file that is missing or has another length; `verifyDataSet` reads them all. */
  readonly lostFile: string | null;
}

/** @throws {Failure} the directory is no data set. */
export function statusOf(dir: string): Status {
  const state = requireState(dir);
  const { leftOut } = newestCommit(dir);
  const release = lockForReading(dir);
  release?.();
  return {
    ...summaryOf(state),
    isExporting: release === undefined,
    damagedCommits: leftOut.length,
    completeUntil: readCompleteUntil(dir, state) ?? null,
    hasOlderColumns: state.shape !== shapeOf(state),
    lostFile: lostFile(dir, state) ?? null,
  };
}

export function summaryOf({
  files,
  checkpoint,
  committedAt,
  personal,
  operators = false,
  since,
  folded,
}: State): Summary {
  const days = [...new Set(files.map(({ day }) => day))].toSorted();
  return {
    events: files.reduce((sum, { rows }) => sum + rows, 0),
    files: files.length,
    days: days.length,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    position: checkpoint?.position ?? null,
    committedAt,
    personal,
    operators,
    since,
    folded: foldedPeopleOf({ folded }),
  };
}
