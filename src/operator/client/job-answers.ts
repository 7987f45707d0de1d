import { z } from 'zod';

/** Answers of the operator API about jobs and recovery. Times are Unix milliseconds. */

export const jobAnswer = z.object({
  id: z.string(),
  kind: z.enum(['rebuild', 'recover', 'rollback']),
  names: z.array(z.string()),
  reseedWitness: z.boolean(),
  requestedBy: z.string(),
  reason: z.string().nullable(),
  requestedAt: z.number(),
  state: z.enum(['requested', 'running', 'verifying', 'paused', 'published', 'failed', 'rolled_back']),
  incarnation: z.string().nullable(),
  step: z.string().nullable(),
  done: z.number(),
  total: z.number().nullable(),
  rate: z.number().nullable(),
  message: z.string().nullable(),
  updatedAt: z.number(),
});

export type JobAnswer = z.infer<typeof jobAnswer>;

export const requestedJob = z.object({ job: jobAnswer.nullable() });

const missing = z.object({
  count: z.number(),
  byType: z.record(z.string(), z.number()),
  first: z.array(z.object({ epoch: z.number(), type: z.string(), stream: z.string(), at: z.number() })),
});

const state = z.enum(['serving', 'quarantined', 'none']);

export const recoveryStatus = z.object({
  state,
  reason: z.string().nullable(),
  incarnation: z.string().nullable(),
  networkId: z.string().nullable(),
  witness: z
    .object({
      epochs: z.object({ witness: z.number(), log: z.number(), readModel: z.number() }),
      unsettled: z.number(),
      brokenLine: z.number().nullable(),
      missing,
      unwitnessed: z.number(),
      onlyShown: z.number(),
      setBack: z.string().nullable(),
    })
    .nullable(),
  witnessFault: z.string().nullable(),
  jobs: z.array(jobAnswer),
  retired: z.array(
    z.object({
      incarnation: z.string(),
      retiredAt: z.number(),
      keptUntil: z.number(),
      refused: z.string().nullable(),
    }),
  ),
});

export const recoveryPlan = z.object({
  state,
  reason: z.string().nullable(),
  isNeeded: z.boolean(),
  refused: z.string().nullable(),
  needsReseed: z.boolean(),
  restrictions: missing,
  unsettled: z.number(),
  rebuild: z.object({
    events: z.number().nullable(),
    eventsPerSecond: z.number().nullable(),
    seconds: z.number().nullable(),
  }),
  lost: z.string(),
});
