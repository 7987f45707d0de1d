import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { ErrorCode } from '../server/errors.js';
import { HttpRefusal } from '../server/errors.js';

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
  // Of the list itself, nothing more is said.
  'intentIds.*': 'intent_required',
};

/** What Zod tells beyond the Standard Schema's issue. */
interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  readonly code?: string;
  readonly keys?: readonly string[];
  /** Of a field that means something else than in most operations. */
  readonly params?: { readonly refusal?: ErrorCode };
}

/** A name that every object has is as unknown as any other: Nest would drop it unsaid, and Zod take it for known. */
class Validation extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(given: Record<string, unknown>): void {
    for (const name of Object.keys(Object(given)).filter((each) => each in Object.prototype)) {
      given[`${name} `] = given[name];
      delete given[name];
    }
  }
}

/** Checks `@Body`, `@Query` and `@Param` against the schema they name, and answers with the field's published code. */
export const validation = new Validation({
  exceptionFactory: (issues) => refusalOf(issues),
});

function refusalOf([issue]: readonly Issue[]): HttpRefusal {
  if (issue?.code === 'unrecognized_keys')
    return new HttpRefusal('unknown_or_immutable_field', `Unknown field: ${issue.keys?.join(', ')}.`);
  const [field, ...within] = (issue?.path ?? []).map(keyOf);
  if (field === undefined) return new HttpRefusal('invalid_json', 'The body must be a JSON object.');
  const named = within.length > 0 ? `${field}.*` : field;
  const code = issue?.params?.refusal ?? codeOfField[named] ?? codeOfField[field] ?? 'invalid_request';
  return new HttpRefusal(code, `${[field, ...within].join('.')}: ${issue?.message}`);
}

const keyOf = (segment: unknown): string =>
  String(typeof segment === 'object' && segment !== null && 'key' in segment ? segment.key : segment);
