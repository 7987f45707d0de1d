import { z } from 'zod';

/** Answers of the operator API about approvals. Times are Unix milliseconds. */

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]));

export const awaitedApproval = z.object({
  waitsFor: z.literal('approval'),
  approvalId: z.string(),
  act: z.string(),
  digest: z.string(),
  expiresAt: z.number(),
  facts,
});

export type AwaitedApproval = z.infer<typeof awaitedApproval>;

const text = z.string().nullable();

export const listedApproval = z.object({
  approvalId: z.string(),
  act: z.string(),
  state: z.enum(['waiting', 'given', 'refused', 'voided', 'used', 'carried_out', 'expired']),
  requestedBy: z.string(),
  requestedByName: text,
  requestedAt: z.number(),
  expiresAt: z.number(),
  reason: text,
  decidedBy: text,
  decidedByName: text,
  decidedAt: z.number().nullable(),
  decision: text,
  digest: z.string(),
  facts,
});

export type ListedApproval = z.infer<typeof listedApproval>;

export const carriedOut = z.object({ approvalId: z.string(), act: z.string(), result: z.unknown() });

export const fourEyes = z.object({
  batchItems: z.number().nullable(),
  active: z.object({ administrators: z.number(), moderators: z.number() }),
});
