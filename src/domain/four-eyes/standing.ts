import type { OperatorEvent } from '../operator/operator.js';

/**
 * The way in which an operator came to be. `isMarked`: the limited shared token invited them, or somebody whom it had invited.
 * `isByTwo`: invitation or confirmation was approved. `confirmedAt`: of the first confirmation. Times in Unix milliseconds.
 */
export interface Origin {
  readonly isMarked: boolean;
  readonly isByTwo: boolean;
  readonly enrolledAt: number | undefined;
  readonly confirmedAt: number | undefined;
}

export const noOrigin: Origin = {
  isMarked: false,
  isByTwo: false,
  enrolledAt: undefined,
  confirmedAt: undefined,
};

/** `isApproved`: another operator approved the act of this event. */
export function evolveOrigin(origin: Origin, { type, data }: OperatorEvent, isApproved: boolean): Origin {
  if (type === 'operator.enrolled') return { ...origin, enrolledAt: data.at };
  const isByTwo = origin.isByTwo || isApproved;
  if (type === 'operator.invited') return { ...origin, isMarked: data.needsConfirmation, isByTwo };
  if (type === 'operator.confirmed')
    return { ...origin, confirmedAt: origin.confirmedAt ?? data.at, isByTwo };
  return origin;
}

/** True: they count from their enrollment on, and no later event of theirs changes that. */
export const isSettled = (origin: Origin, since: number): boolean =>
  origin.enrolledAt !== undefined && (origin.isByTwo || wasThere(origin, since));

function wasThere({ isMarked, enrolledAt, confirmedAt }: Origin, since: number): boolean {
  const isBefore = (time: number | undefined) => time !== undefined && time <= since;
  return isBefore(enrolledAt) && (!isMarked || isBefore(confirmedAt));
}

/**
 * Returns the time from which the operator counts as a person of their own, who requests and approves; undefined: not
 * before another operator confirms them. `since`: as of {@link FourEyes}. `minAgeMs`: since the enrollment, for an
 * operator whom one person alone has confirmed.
 */
export function establishedFrom(origin: Origin, since: number, minAgeMs: number): number | undefined {
  const { enrolledAt, confirmedAt, isMarked } = origin;
  if (enrolledAt === undefined || isSettled(origin, since)) return enrolledAt;
  return isMarked && confirmedAt !== undefined ? enrolledAt + minAgeMs : undefined;
}

/**
 * True: a confirmation would change something. `isApproved`: it would be by two. One alone confirms only whom the shared token
 * invited: otherwise an administrator could confirm their own invitation from before four-eyes was on.
 */
export function lacksConfirmation(origin: Origin, since: number, isApproved: boolean): boolean {
  if (origin.isByTwo || wasThere(origin, since)) return false;
  if (since === Infinity && !origin.isMarked) return false;
  return isApproved || (origin.isMarked && origin.confirmedAt === undefined);
}
