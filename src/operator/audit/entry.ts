import { z } from 'zod';
import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import type { AuditedText } from './texts.js';

const text = z.string().nullable();

/** `text`, `erased`, `undisclosed`: see {@link AuditedText}. */
export const auditEntry = z.strictObject({
  position: z.number(),
  revision: z.number(),
  eventId: z.string(),
  at: z.number(),
  type: z.string(),
  stream: z.string(),
  subject: z.record(z.string(), z.string()),
  actorId: text,
  appId: text,
  grantId: text,
  intentId: text,
  requestId: z.string(),
  clientRequestId: text,
  addressClass: text,
  operatorId: text,
  operator: text,
  reason: text,
  cause: text,
  text: z.string().optional(),
  erased: z.boolean().optional(),
  undisclosed: z.boolean().optional(),
});

export type AuditEntry = z.infer<typeof auditEntry>;

export const entryOf = (
  { position, revision, ...event }: AuditedEvent,
  texts: ReadonlyMap<string, AuditedText>,
): AuditEntry => ({
  position: Number(position),
  revision: Number(revision),
  ...event,
  ...texts.get(event.eventId),
});
