import { z } from 'zod';
import { passwordFormProblem } from '../../doors/auth/passwords.js';
import { shows } from '../../domain/name.js';
import { roles } from '../../domain/operator/roles.js';
import { unknownField } from '../../server/bodies/unknown-field.js';
import { HttpRefusal } from '../../server/errors.js';
import { optionOf } from './option-names.js';

/** Message for a missing or too long reason, which is stored with the event. */
const REASON = 'say why in 1 to 500 characters';
/** They would reorder or hide the text around the reason in a list. Line feeds and tabs are shown as such. */
const misleading = /[^\P{Cc}\n\t\r]|\p{Bidi_Control}|\p{Cs}/u;
export const requiredReason = z
  .string(REASON)
  .min(1, REASON)
  .max(500, REASON)
  .refine((reason) => shows.test(reason), REASON)
  .refine((reason) => !misleading.test(reason), 'must not have control characters');
export const optionalReason = requiredReason.optional();

const LIFECYCLE = 'must be a whole number from 1 on';

/** Change of a lifecycle state. `revision`: the expected lifecycle revision. */
export const lifecycleChange = z.strictObject({
  revision: z.int(LIFECYCLE).min(1, LIFECYCLE).optional(),
});

const MAX_DAYS = 366;
const DAY_MS = 24 * 60 * 60_000;
const SPAN = `from 0 to ${MAX_DAYS} days`;
const SPAN_MS = `${SPAN}, in whole milliseconds`;

const span = z
  .int(SPAN_MS)
  .min(0, SPAN)
  .max(MAX_DAYS * DAY_MS, SPAN);

export const secretRotation = z.strictObject({ overlapMs: span });

/** `delayMs`: the time in which the erasure can be cancelled; 0 erases at once. */
export const erasure = lifecycleChange.extend({ delayMs: span.default(0) });

export const newApplication = z.strictObject({
  name: z.string(),
  redirectUris: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()).default([]),
  scopes: z.array(z.string()),
});

export const newAccount = z.strictObject({
  handle: z.string(),
  displayName: z.string(),
  email: z.string(),
  password: z.string().superRefine((password, context) => {
    const message = passwordFormProblem(password);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
});

const roleList = z.array(z.enum(roles, { error: `each must be one of ${roles.join(', ')}` }));

export const newOperator = z.strictObject({ name: z.string(), roles: roleList });

export const roleChange = lifecycleChange.extend({ roles: roleList });

const VALIDITY = `from 1 minute to ${MAX_DAYS} days`;

/** `validMs`: milliseconds until the token expires. */
export const newToken = z.strictObject({
  label: z.string().default('command line'),
  validMs: z
    .int(`${VALIDITY}, in whole milliseconds`)
    .min(60_000, VALIDITY)
    .max(MAX_DAYS * DAY_MS, VALIDITY)
    .default(90 * DAY_MS),
});

export const enrollment = newToken.extend({ invitationCode: z.string() });

export const identifier = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns the id in the path.
 * @throws {HttpRefusal} `not_found`: no resource can have such an id.
 */
export function idIn(params: Readonly<Record<string, string>>, name = 'id'): string {
  const id = params[name] ?? '';
  if (!identifier.test(id)) throw new HttpRefusal('not_found', 'No resource has such an id.');
  return id;
}

/**
 * Returns the validated body.
 * @throws {HttpRefusal} names the first invalid field, never its value.
 */
export function parse<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const parsed = schema.safeParse(body, { error: choicesOf });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') throw unknownField(issue.keys);
  const field = issue?.path.join('.') ?? '';
  const option = optionOf[field];
  const where = field === '' ? '' : `${field}${option === undefined ? '' : ` (${option})`}: `;
  throw new HttpRefusal('invalid_request', `${where}${issue?.message ?? 'The body is invalid.'}`);
}

/** In place of the words of zod, which has none that people know. */
const choicesOf: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : undefined;

/** Answers. Times are Unix milliseconds. */
export const changed = z.strictObject({ changed: z.boolean() });
export const lifecycleChanged = changed.extend({ revision: z.number() });
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
