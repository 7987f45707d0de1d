import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { passwordFormProblem } from '../../auth/passwords.js';
import { HttpRefusal } from '../../http/server/errors.js';

/** Stored with the event. */
const REASON = 'say why in 1 to 500 characters';
const requiredReason = z.string(REASON).min(1, REASON).max(500, REASON);
const reason = requiredReason.optional();

export const command = z.strictObject({ reason });

/** A command against a person needs a reason. */
export const reasonedCommand = z.strictObject({ reason: requiredReason });

const LIFECYCLE = 'must be a whole number from 1 on';
const revision = z.int(LIFECYCLE).min(1, LIFECYCLE).optional();

/** `revision`: the expected lifecycle revision. */
export const lifecycleCommand = command.extend({ revision });
export const reasonedLifecycleCommand = reasonedCommand.extend({ revision });

const MAX_DAYS = 366;
const SPAN = `from 0 to ${MAX_DAYS} days`;
const SPAN_MS = `${SPAN}, in whole milliseconds`;

const span = z
  .int(SPAN_MS)
  .min(0, SPAN)
  .max(MAX_DAYS * 24 * 60 * 60_000, SPAN);

export const secretRotationCommand = z.strictObject({ overlapMs: span, reason });

/** `delayMs`: the time in which the erasure can be cancelled; 0 erases at once. */
export const erasure = reasonedLifecycleCommand.extend({ delayMs: span.default(0) });

export const newApplication = z.strictObject({
  name: z.string(),
  redirectUris: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()).default([]),
  scopes: z.array(z.string()),
  reason,
});

export const newAccount = z.strictObject({
  handle: z.string(),
  displayName: z.string(),
  email: z.string(),
  password: z.string().superRefine((password, context) => {
    const message = passwordFormProblem(password);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  reason,
});

/** Options of the command line by field, for its users. */
const optionOf: Readonly<Record<string, string>> = {
  reason: '--reason',
  revision: '--revision',
  overlapMs: '--overlap',
  delayMs: '--delay',
  since: '--since',
  until: '--until',
  hours: '--hours',
  after: '--after',
};

export const identifier = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws {HttpRefusal} `not_found`: no resource can have such an id. */
export function pathId(request: FastifyRequest): string {
  const { id } = request.params as { readonly id: string };
  if (!identifier.test(id)) throw new HttpRefusal('not_found', 'No resource has such an id.');
  return id;
}

/**
 * Returns the validated body.
 * @throws {HttpRefusal} names the first invalid field, never its value.
 */
export function parse<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw new HttpRefusal('unknown_or_immutable_field', `Unknown field: ${issue.keys.join(', ')}.`);
  const field = issue?.path.join('.') ?? '';
  const option = optionOf[field];
  const where = field === '' ? '' : `${field}${option === undefined ? '' : ` (${option})`}: `;
  throw new HttpRefusal('invalid_request', `${where}${issue?.message ?? 'The body is invalid.'}`);
}
