import { z } from 'zod';
import { AS_OF_KEPT_MS } from '../../background/as-of/builds.js';
import type { AsOfBuild } from '../../background/as-of/builds.js';

/** A build for operators. Times are Unix milliseconds. */
export const shownBuild = z.strictObject({
  position: z.number(),
  at: z.number(),
  state: z.enum(['requested', 'building', 'built', 'failed']),
  step: z.string().nullable(),
  done: z.number(),
  total: z.number().nullable(),
  rate: z.number().nullable(),
  /** Measured while events are loaded, which is most of the work; null: unknown. */
  secondsLeft: z.number().nullable(),
  message: z.string().nullable(),
  requestedAt: z.number(),
  requestedBy: z.string(),
  keptUntil: z.number().nullable(),
});

export type AsOfStatus = z.infer<typeof shownBuild>;

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
