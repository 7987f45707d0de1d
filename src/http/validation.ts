import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { ErrorCode } from './errors.js';
import { HttpRefusal } from './errors.js';

/** Which published code a faulty field or parameter has; the same name means the same thing in every operation. */
const codeOfField: Readonly<Record<string, ErrorCode>> = {
  intentId: 'intent_required',
  text: 'invalid_text',
  audience: 'unsupported_audience',
  parentId: 'invalid_parent',
  revision: 'revision_required',
  handle: 'invalid_text',
  displayName: 'invalid_text',
  bio: 'invalid_text',
  website: 'invalid_website',
  postId: 'invalid_report',
  actorId: 'invalid_report',
  reason: 'invalid_report',
  cursor: 'invalid_page_cursor',
};

/** What Zod tells beyond the Standard Schema's issue. */
interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  readonly code?: string;
  readonly keys?: readonly string[];
}

/** Checks `@Body`, `@Query` and `@Param` against the schema they name, and answers with the field's published code. */
export const validation = new StandardSchemaValidationPipe({
  exceptionFactory: (issues) => refusalOf(issues),
});

function refusalOf([issue]: readonly Issue[]): HttpRefusal {
  if (issue?.code === 'unrecognized_keys')
    return new HttpRefusal('unknown_or_immutable_field', `Unknown field: ${issue.keys?.join(', ')}.`);
  const field = issue?.path?.[0];
  if (field === undefined) return new HttpRefusal('invalid_json', 'The body must be a JSON object.');
  const name = String(typeof field === 'object' && field !== null && 'key' in field ? field.key : field);
  return new HttpRefusal(codeOfField[name] ?? 'invalid_request', `${name}: ${issue?.message}`);
}
