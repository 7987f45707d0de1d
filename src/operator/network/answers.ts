import { z } from 'zod';
import { jobShape } from '../../../projections/jobs/job.js';
import { listOf } from '../desk/schemas.js';

/** Answers about the network and its work. Times are Unix milliseconds. */

const text = z.string().nullable();
const number = z.number().nullable();

export const shownProjections = z.strictObject({
  incarnation: text,
  /** Reason of the quarantine; null: the network is not in quarantine. */
  quarantine: text,
  projections: listOf(
    z.strictObject({
      name: z.string(),
      version: z.number(),
      position: number,
      /** Bytes of the log that it has not applied yet. Null: the log does not answer, or is not the applied one. */
      lag: number,
      stopped: z.strictObject({ reason: z.string(), position: number, eventId: text }).optional(),
    }),
  ),
});

export type ShownProjections = z.infer<typeof shownProjections>;

export const shownRegistration = z.strictObject({ isOpen: z.boolean(), by: z.enum(['operator', 'setting']) });

const health = z.enum(['ok', 'failed']);

/** Facts of an unreachable store are null. */
export const shownOverview = z.strictObject({
  readiness: z.strictObject({
    status: health,
    components: z.record(z.string(), z.strictObject({ status: health, reason: z.string().optional() })),
  }),
  quarantine: text,
  incarnation: text,
  witnessEpoch: number,
  unsettled: number,
  projections: shownProjections.shape.projections.nullable(),
  /** Bytes of the log; null: unknown of some projection. */
  lag: number,
  isPublishingPaused: z.boolean().nullable(),
  registration: shownRegistration.nullable(),
  newestJob: jobShape.nullable(),
  unfinishedBatches: number,
  activity: listOf(
    z.strictObject({ type: z.string(), lastHour: z.number(), hourBefore: z.number() }),
  ).nullable(),
  /** Null also for a caller who may not see applications. */
  busiest: listOf(
    z.strictObject({
      clientId: z.string(),
      name: z.string(),
      posts: z.number(),
      actors: z.number(),
      isMore: z.boolean(),
    }),
  ).nullable(),
  counts: listOf(z.strictObject({ name: z.string(), count: z.number(), isMore: z.boolean() })).nullable(),
  cases: z.strictObject({ open: z.number(), claimed: z.number(), appealed: z.number() }).nullable(),
  erasures: z
    .strictObject({
      count: z.number(),
      /** `plannedBy` null: the person. */
      next: listOf(z.strictObject({ actorId: z.string(), erasesAt: z.number(), plannedBy: text })),
    })
    .nullable(),
});

export type Overview = z.infer<typeof shownOverview>;
