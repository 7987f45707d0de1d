import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { ErrorCode } from '../../../server/errors.js';
import { HttpRefusal } from '../../../server/errors.js';
import { unknownField } from '../../../server/bodies/unknown-field.js';

/**
 * Published error code for an invalid field or parameter, by its name, which means the same in almost every operation.
 */
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
  'intentIds.*': 'intent_required',
};

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  readonly code?: string;
  readonly keys?: readonly string[];
  /** Error code of the schema, for a field whose name means something else than in other operations. */
  readonly params?: { readonly refusal?: ErrorCode };
}

/**
 * Reports a field that is named like a member of `Object.prototype` as unknown. Nest would drop it silently, and Zod
 * treat it as known.
 */
class Validation extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(value: Record<string, unknown>): void {
    for (const name of Object.keys(Object(value)).filter((each) => each in Object.prototype)) {
      value[`${name} `] = value[name];
      delete value[name];
    }
  }
}

export const validation = new Validation({
  exceptionFactory: (issues) => refusalOf(issues),
});

function refusalOf([issue]: readonly Issue[]): HttpRefusal {
  if (issue?.code === 'unrecognized_keys') return unknownField(issue.keys ?? []);
  const [field, ...subpath] = (issue?.path ?? []).map(keyOf);
  if (field === undefined) return new HttpRefusal('invalid_json', 'The body must be a JSON object.');
  const fieldOrItem = subpath.length > 0 ? `${field}.*` : field;
  const code = issue?.params?.refusal ?? codeOfField[fieldOrItem] ?? codeOfField[field] ?? 'invalid_request';
  return new HttpRefusal(code, `${[field, ...subpath].join('.')}: ${issue?.message}`);
}

const keyOf = (segment: unknown): string =>
  String(typeof segment === 'object' && segment !== null && 'key' in segment ? segment.key : segment);
