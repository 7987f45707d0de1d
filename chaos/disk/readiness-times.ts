import type { TestNetwork } from '../../test/support/network.js';
import { until } from '../../test/support/until.js';
import { isReady } from '../is-ready.js';

const LONGEST_RETURN_MS = 180_000;

/** Milliseconds from the break until `/readyz` tells of it, undefined if it never did, and from the repair to ready. */
export interface ReadinessTimes {
  readonly unreadyMs: number | undefined;
  readonly readyAgainMs: number;
}

/** Milliseconds until `/readyz` is not 200 or unanswered; undefined if it is ready until `over`. */
export async function msUntilUnready(
  { baseUrl }: TestNetwork,
  over: AbortSignal,
): Promise<number | undefined> {
  const begun = performance.now();
  await until(async () => over.aborted || !(await isReady(baseUrl)), LONGEST_RETURN_MS);
  return over.aborted ? undefined : Math.round(performance.now() - begun);
}

/** Milliseconds until `/readyz` is 200. */
export async function msUntilReady({ baseUrl }: TestNetwork, givenUp: AbortSignal): Promise<number> {
  const begun = performance.now();
  await until(() => {
    givenUp.throwIfAborted();
    return isReady(baseUrl);
  }, LONGEST_RETURN_MS);
  return Math.round(performance.now() - begun);
}

export function describeTimes({ unreadyMs, readyAgainMs }: ReadinessTimes): string {
  const told = unreadyMs === undefined ? 'never told of it' : `told of it after ${inSeconds(unreadyMs)}`;
  return `/readyz ${told}, ready again ${inSeconds(readyAgainMs)} after the repair`;
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
