import { z } from 'zod';
import { listOf } from '../desk/schemas.js';

/** Answers about the network and its work. Times are Unix milliseconds. */

const text = z.string().nullable();
const number = z.number().nullable();

export const shownJob = z.strictObject({
  id: z.string(),
  kind: z.enum(['rebuild', 'recover', 'rollback']),
  names: listOf(z.string()),
  reseedWitness: z.boolean(),
  requestedBy: z.string(),
  reason: text,
  requestedAt: z.number(),
  state: z.enum(['requested', 'running', 'verifying', 'paused', 'published', 'failed', 'rolled_back']),
  incarnation: text,
  step: text,
  done: z.number(),
  total: number,
  rate: number,
  message: text,
  updatedAt: z.number(),
});

export type ShownJob = z.infer<typeof shownJob>;

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

const missing = z.strictObject({
  count: z.number(),
  byType: z.record(z.string(), z.number()),
  first: listOf(z.strictObject({ epoch: z.number(), type: z.string(), stream: z.string(), at: z.number() })),
});

const state = z.enum(['serving', 'quarantined', 'none']);

export const shownRecovery = z.strictObject({
  state,
  reason: text,
  incarnation: text,
  networkId: text,
  witness: z
    .strictObject({
      epochs: z.strictObject({ witness: z.number(), log: z.number(), readModel: z.number() }),
      unsettled: z.number(),
      brokenLine: number,
      missing,
      unwitnessed: z.number(),
      onlyShown: z.number(),
      setBack: text,
    })
    .nullable(),
  witnessFault: text,
  jobs: listOf(shownJob),
  retired: listOf(
    z.strictObject({ incarnation: z.string(), retiredAt: z.number(), keptUntil: z.number(), refused: text }),
  ),
});

export type ShownRecovery = z.infer<typeof shownRecovery>;

export const shownPlan = z.strictObject({
  state,
  reason: text,
  isNeeded: z.boolean(),
  refused: text,
  needsReseed: z.boolean(),
  restrictions: missing,
  unsettled: z.number(),
  rebuild: z.strictObject({ events: number, eventsPerSecond: number, seconds: number }),
  lost: z.string(),
});

export type ShownPlan = z.infer<typeof shownPlan>;

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
  newestJob: shownJob.nullable(),
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
