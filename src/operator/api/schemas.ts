import { z } from 'zod';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../auth/passwords.js';
import { HttpRefusal } from '../../http/errors.js';

/** Why an operator acts. Kept with the event. */
const reason = z.string().min(1).max(500).optional();

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
  password: z.string().min(PASSWORD_MIN).max(PASSWORD_MAX),
  reason,
});

/** The body as the schema says it is. @throws {HttpRefusal} naming the first fault, never a value. */
export function parse<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw new HttpRefusal('unknown_or_immutable_field', `Unknown field: ${issue.keys.join(', ')}.`);
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw new HttpRefusal('invalid_request', `${where}${issue?.message ?? 'The body is not understood.'}`);
}
