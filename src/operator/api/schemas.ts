import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_MAX, PASSWORD_MIN, passwordLength } from '../../auth/passwords.js';
import { HttpRefusal } from '../../http/errors.js';

/** Why an operator acts. Kept with the event. */
const REASON = 'say why in 1 to 500 characters';
const why = z.string(REASON).min(1, REASON).max(500, REASON);
const reason = why.optional();

export const act = z.strictObject({ reason });

/** What is done to a person is never done without a reason. */
const reasonedAct = z.strictObject({ reason: why });

const LIFECYCLE = 'must be a whole number from 1 on';
const revision = z.int(LIFECYCLE).min(1, LIFECYCLE).optional();

/** What makes a turn in a life; `revision`: the turn before, if it must be that one. */
export const turn = act.extend({ revision });
export const reasonedTurn = reasonedAct.extend({ revision });

const LONGEST_OVERLAP_DAYS = 366;
const OVERLAP = `from 0 to ${LONGEST_OVERLAP_DAYS} days`;
const OVERLAP_MS = `${OVERLAP}, in whole milliseconds`;

export const secretRotation = z.strictObject({
  overlapMs: z
    .int(OVERLAP_MS)
    .min(0, OVERLAP)
    .max(LONGEST_OVERLAP_DAYS * 24 * 60 * 60_000, OVERLAP),
  reason,
});

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
  password: z
    .string()
    .refine((password) => passwordLength(password) >= PASSWORD_MIN, `at least ${PASSWORD_MIN} characters`)
    .refine((password) => passwordLength(password) <= PASSWORD_MAX, `at most ${PASSWORD_MAX} characters`),
  reason,
});

/** What a field is called at the command line, where the API is used from. */
const optionOf: Readonly<Record<string, string>> = {
  reason: '--reason',
  revision: '--revision',
  overlapMs: '--overlap',
  actor: '--actor',
  post: '--post',
  app: '--app',
  grant: '--grant',
};

export const identifier = /^[A-Za-z0-9_-]{1,64}$/;

/** Whom the address names. @throws {HttpRefusal} `not_found`: nobody can have such an id. */
export function idOf(request: FastifyRequest): string {
  const { id } = request.params as { readonly id: string };
  if (!identifier.test(id)) throw new HttpRefusal('not_found', 'Nothing has such an id.');
  return id;
}

/** The body as the schema says it is. @throws {HttpRefusal} naming the first fault, never a value. */
export function parse<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw new HttpRefusal('unknown_or_immutable_field', `Unknown field: ${issue.keys.join(', ')}.`);
  const field = issue?.path.join('.') ?? '';
  const option = optionOf[field];
  const where = field === '' ? '' : `${field}${option === undefined ? '' : ` (${option})`}: `;
  throw new HttpRefusal('invalid_request', `${where}${issue?.message ?? 'The body is not understood.'}`);
}
