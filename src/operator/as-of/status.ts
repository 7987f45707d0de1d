import { AS_OF_KEPT_MS } from '../../background/as-of/builds.js';
import type { AsOfBuild, AsOfState } from '../../background/as-of/builds.js';

/** A build for operators. Times are Unix milliseconds. */
export interface AsOfStatus {
  readonly position: number;
  readonly at: number;
  readonly state: AsOfState;
  readonly step: string | null;
  readonly done: number;
  readonly total: number | null;
  readonly rate: number | null;
  /** Measured while events are loaded, which is most of the work; null: unknown. */
  readonly secondsLeft: number | null;
  readonly message: string | null;
  readonly requestedAt: number;
  readonly requestedBy: string;
  readonly keptUntil: number | null;
}

/** `expected`: seconds of a build that has not begun. */
export function asOfStatus(build: AsOfBuild, expected?: number): AsOfStatus {
  const { position, at, state, step, done, total, rate, message, requestedAt, requestedBy, updatedAt } =
    build;
  const isLoading = state === 'building' && total !== null && rate !== null && rate > 0;
  const measured = isLoading ? Math.ceil(Math.max(0, total - done) / rate) : undefined;
  return {
    position: Number(position),
    at,
    state,
    step,
    done,
    total,
    rate,
    secondsLeft: state === 'built' ? 0 : (measured ?? expected ?? null),
    message,
    requestedAt,
    requestedBy,
    keptUntil: state === 'built' ? updatedAt + AS_OF_KEPT_MS : null,
  };
}
