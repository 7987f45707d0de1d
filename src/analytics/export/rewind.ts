import { LogReplaced } from '../../log/event-log.js';
import type { UndecodedLog } from '../../log/event-log.js';
import type { Change, DataSet } from '../data-set/data-set.js';
import { peopleFileOf } from '../data-set/state.js';
import type { DataFile } from '../data-set/state.js';

export interface Rewound {
  /** Position of the newest event that stays; null: none. */
  readonly to: number | null;
  readonly droppedEvents: number;
}

/**
 * Drops what the log does not have. Each file ends with an event that the log can be asked for; files stay up to the
 * newest one of these that it still has at its position. Undefined: the log has the checkpoint, so nothing is dropped.
 * @throws {LogUnavailable}
 */
export async function rewind(
  log: Pick<UndecodedLog, 'verify'>,
  dataSet: DataSet,
): Promise<Rewound | undefined> {
  const { state } = dataSet;
  const { checkpoint, files } = state;
  if (!checkpoint || (await has(log, checkpoint.position, checkpoint.eventId))) return undefined;
  const ends = files.toSorted((a, b) => a.last - b.last);
  let [kept, lost] = [0, ends.length];
  while (kept < lost) {
    const middle = Math.floor((kept + lost) / 2);
    const end = ends[middle];
    if (end && (await has(log, end.last, end.lastEventId))) kept = middle + 1;
    else lost = middle;
  }
  const intact = withoutOverlap(files, ends[kept - 1]?.last ?? -1);
  // A folded event alone cannot be dropped: everything is read anew.
  const isFolded = (peopleFileOf(state)?.last ?? -1) > Math.max(-1, ...intact.map(({ last }) => last));
  const staying = isFolded ? [] : intact;
  const newest = staying.toSorted((a, b) => b.last - a.last)[0];
  const to = newest?.last ?? null;
  const change: Change = {
    checkpoint: newest ? { position: newest.last, eventId: newest.lastEventId } : null,
    applications: state.applications.filter(({ position }) => to !== null && position <= to),
    removed: files.filter((file) => !staying.includes(file)),
    ...(isFolded && { folded: 'nothing' }),
  };
  dataSet.commit('flush', change);
  return { to, droppedEvents: rowsOf(files) - rowsOf(staying) };
}

/**
 * Files with events up to `position` alone. A compacted file may reach beyond it: then everything from its first event
 * on goes, and is exported again.
 */
function withoutOverlap(files: readonly DataFile[], position: number): readonly DataFile[] {
  const reaching = files.filter(({ first, last }) => first <= position && last > position);
  if (reaching.length === 0) return files.filter(({ last }) => last <= position);
  return withoutOverlap(files, Math.min(...reaching.map(({ first }) => first)) - 1);
}

async function has(log: Pick<UndecodedLog, 'verify'>, position: number, eventId: string): Promise<boolean> {
  try {
    await log.verify({ position: BigInt(position), eventId });
    return true;
  } catch (error) {
    if (error instanceof LogReplaced) return false;
    throw error;
  }
}

export const rowsOf = (files: readonly Pick<DataFile, 'rows'>[]): number =>
  files.reduce((sum, { rows }) => sum + rows, 0);
