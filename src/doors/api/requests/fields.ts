import { z } from 'zod';
import { HttpRefusal } from '../../../server/errors.js';

/** Fields and parameters of several operations (docs/api-decisions.md, "Values"). */

export const intentId = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') })
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be 1 to 128 characters of A-Z a-z 0-9 . _ : -')
  .describe(
    'Idempotency key of this action; it never expires. Repeat the identical request with the same one.',
  );

/** For a mutation that takes nothing else. */
export const intentQuery = z.strictObject({ intentId });

export const intentBody = intentQuery.meta({ id: 'Intent' });

export const identifier = z
  .string('must be an identifier')
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an identifier of the network');

/** Describes the limits of a text before its normalization (src/domain/unicode.ts). */
export const boundBeforeNormalizing = (codeUnits: string): string =>
  `As sent, without surrounding white space: at most ${codeUnits} UTF-16 code units, and at most 30 combining marks (general category M) in a row.`;

/**
 * The text of a post. Its schema has no `maxLength`: white space around the text and the composition of accents do not
 * count. The domain checks its length and characters (src/domain/post/text.ts).
 */
export const postText = z.string('must be a string').meta({
  pattern: String.raw`\S`,
  description: `1 to 2,000 code points, trimmed and in NFC; no control characters but tab and line feed, no lone surrogates. ${boundBeforeNormalizing('8,000')}`,
});

export const baseRevision = z
  .int('must be the revision that you have read')
  .min(1, 'must be the revision that you have read')
  .describe(
    'Revision of the resource as you have read it. The change is refused if the resource has changed since.',
  );

export const baseRevisionParameter = z
  .string('must be the revision that you have read')
  .regex(/^[1-9][0-9]{0,14}$/, 'must be the revision that you have read')
  .transform(Number)
  .describe(baseRevision.description ?? '');

export const reportText = z.string('must be a string').meta({
  description: `Like the text of a post, but it may be empty. ${boundBeforeNormalizing('8,000')}`,
});

/** Returns '' for a malformed identifier: the lookup then finds nothing, as for an unknown one. */
export const identifierOrEmpty = (value: string): string =>
  identifier.safeParse(value).success ? value : '';

/**
 * For a mutation that works in any state of its target, also an unknown one.
 * @throws {HttpRefusal} `not_found`: nothing can have this identifier.
 */
export function possibleIdentifier(value: string): string {
  if (identifier.safeParse(value).success) return value;
  throw new HttpRefusal('not_found', 'Nothing can have this identifier: take it from an answer of the API.');
}

const DEFAULT_PAGE = 50;

/** Rows of a page, clamped to 1..most. A value that is not an integer counts as the default (network-api.md). */
export const pageLimit = ({ most }: { most: number }) =>
  z
    .unknown()
    .optional()
    .transform((value) => {
      const rows = typeof value === 'string' && /^-?[0-9]+$/.test(value) ? Number(value) : DEFAULT_PAGE;
      return Math.min(Math.max(rows, 1), most);
    })
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: most,
      description: `Rows of a page; ${DEFAULT_PAGE} by default. A value above ${most} counts as ${most}; a value that is not an integer counts as ${DEFAULT_PAGE}.`,
    });

const pageCursor = z
  .string('must be the cursor of an earlier page')
  .optional()
  .describe('Opaque: `cursor` of the previous page.');

export const pageQuery = ({ most }: { most: number }) =>
  z.object({ limit: pageLimit({ most }), cursor: pageCursor });

export const logCursor = z
  .unknown()
  .optional()
  .transform((value, context) => {
    if (value === undefined) return undefined;
    const position = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : NaN;
    if (Number.isSafeInteger(position)) return position;
    const refusal = { refusal: 'invalid_cursor' };
    context.addIssue({ code: 'custom', message: 'must be the cursor of an earlier answer', params: refusal });
    return z.NEVER;
  })
  .meta({ type: 'integer', minimum: 0, description: '`cursor` of an earlier answer.' });
