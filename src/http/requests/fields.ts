import { z } from 'zod';

/** Fields and parameters that mean the same in every operation (decisions.md, "Values"). */

export const intentId = z
  .string('must be a string')
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be 1 to 128 characters of A-Z a-z 0-9 . _ : -')
  .describe('Names this action for ever: repeat the identical request with the same one.');

export const identifier = z
  .string('must be an identifier')
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an identifier of the network');

/** What is asked of every text before it is normalized (src/domain/unicode.ts), with its limit in UTF-16 code units. */
export const beforeNormalizing = (codeUnits: string): string =>
  `As sent, but for white space around it: at most ${codeUnits} UTF-16 code units, and at most 30 combining marks (general category M) in a row.`;

/**
 * Of a post. The domain asks all of it (src/domain/post/text.ts). No `maxLength`: neither white space around a text nor
 * the way in which its accents are composed counts.
 */
export const postText = z.string('must be a string').meta({
  pattern: String.raw`\S`,
  description: `1 to 2,000 code points, trimmed and in NFC; no control characters but tab and line feed, no lone surrogates. ${beforeNormalizing('8,000')}`,
});

/** The revision of a resource that a change of it is made from. */
export const baseRevision = z
  .int('must be the revision that you have read')
  .min(1, 'must be the revision that you have read')
  .describe('Of the resource, as you have read it: no change is made over one that you have not seen.');

/** The same in a query. */
export const baseRevisionParameter = z
  .string('must be the revision that you have read')
  .regex(/^[1-9][0-9]{0,14}$/, 'must be the revision that you have read')
  .transform(Number)
  .describe(baseRevision.description ?? '');

/** What somebody says beside the reason of a report. */
export const reportText = z.string('must be a string').meta({
  description: `As the text of a post, but it may be empty. ${beforeNormalizing('8,000')}`,
});

/** An identifier from a path. What is none names nothing, like '' does: it is looked for, and not found, like any other. */
export const identifierOrNone = (given: string): string => (identifier.safeParse(given).success ? given : '');

const DEFAULT_PAGE = 50;

/** Rows of a page: default 50, clamped to 1..most; what is no integer counts as the default (network-api.md). */
export const pageLimit = ({ most }: { most: number }) =>
  z
    .unknown()
    .optional()
    .transform((given) => {
      const asked = typeof given === 'string' && /^-?[0-9]+$/.test(given) ? Number(given) : DEFAULT_PAGE;
      return Math.min(Math.max(asked, 1), most);
    })
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: most,
      description: `Rows of a page, ${DEFAULT_PAGE} unless said. What is above ${most} counts as ${most}, and what is no integer as ${DEFAULT_PAGE}.`,
    });

export const pageCursor = z
  .string('must be the cursor of an earlier page')
  .optional()
  .describe('Opaque: `cursor` of the page before.');

/** Where an earlier view or event stands in the log: a number that clients have from an answer, not a page's cursor. */
export const logCursor = z
  .unknown()
  .optional()
  .transform((given, context) => {
    if (given === undefined) return undefined;
    const position = typeof given === 'string' && /^[0-9]+$/.test(given) ? Number(given) : NaN;
    if (Number.isSafeInteger(position)) return position;
    const refusal = { refusal: 'invalid_cursor' };
    context.addIssue({ code: 'custom', message: 'must be the cursor of an earlier answer', params: refusal });
    return z.NEVER;
  })
  .meta({ type: 'integer', minimum: 0, description: '`cursor` of an earlier answer.' });
