import { dayOf } from './paths.js';
import { foldedPeopleOf } from './state.js';
import type { State } from './state.js';

const DAY_MS = 86_400_000;

/** The time that the data is about, in days of UTC; null without events. */
export interface Extent {
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  /** The first day of which nothing was left out. */
  readonly completeFrom: string | null;
  /** Unix milliseconds. */
  readonly completeUntil: number;
  /** Nothing was left out before the first day. */
  readonly isWhole: boolean;
  /** People, attention and grants are known from the first event of the log on. */
  readonly isFolded: boolean;
  /** An export had every event of the log at `completeUntil`. */
  readonly isCaughtUp: boolean;
}

/** `caughtUp`: the newest moment at which the data set had every event of the log; undefined: nobody knows. */
export function extentOf(
  { files, since, folded, committedAt }: Pick<State, 'files' | 'since' | 'folded' | 'committedAt'>,
  caughtUp: number | undefined,
): Extent {
  const isWhole = since === null;
  const isCaughtUp = caughtUp !== undefined;
  const known = { isWhole, isCaughtUp, isFolded: isWhole || foldedPeopleOf({ folded }) !== null };
  const days = files.map(({ day }) => day).toSorted();
  const [firstDay = null, newest = null] = [days[0], days.at(-1)];
  if (firstDay === null || newest === null)
    return { firstDay, lastDay: newest, completeFrom: null, completeUntil: 0, ...known };
  const begin = since === null ? Date.parse(firstDay) : Math.max(since, Date.parse(firstDay));
  // A clock that is ahead makes days that have not begun.
  const begun = days.findLast((day) => day <= committedAt) ?? firstDay;
  const completeUntil = Math.max(caughtUp ?? 0, Date.parse(begun));
  return {
    firstDay,
    lastDay: [newest, dayOf(completeUntil - 1)].toSorted()[1] ?? newest,
    completeFrom: dayOf(Math.ceil(begin / DAY_MS) * DAY_MS),
    completeUntil,
    ...known,
  };
}
