import { z } from 'zod';
import { clientRequestId } from './client-request-id.js';

/** A header in the OpenAPI document: optional in an answer unless header-objects.ts requires its group. */
export interface HeaderDeclaration {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: string;
}

const digits = z.string().regex(/^[0-9]+$/);
const name = z.string().min(1);

/** Headers of every protected read (network-api.md, "Common response headers on protected domain reads"). */
export const readHeaders = {
  'x-network-revision': {
    description: 'Admission revision: the position in the event log that this answer shows.',
    schema: digits,
    example: '48213',
  },
  'x-network-incarnation': {
    description: 'Recovery incarnation. When it changes, revalidate and retire the session.',
    schema: name,
    example: 'q8Zx0T2mS4',
  },
  'x-network-witness-epoch': {
    description: 'Witness epoch at the admission of the read.',
    schema: digits,
    example: '17',
  },
} satisfies Record<string, HeaderDeclaration>;

export const callerHeaders = {
  'x-network-actor-id': {
    description: 'Actor of the credential.',
    schema: name,
    example: 'Rk3vQ0yN7aB2',
  },
  'x-network-app-id': { description: 'Application of the credential.', schema: name, example: 'pebble' },
  'x-network-grant-id': { description: 'Grant of the credential.', schema: name, example: 'g_7Hq2' },
  'x-network-scopes': {
    description: 'Effective scopes, separated by spaces.',
    schema: z.string(),
    example: 'openid read post:create',
  },
} satisfies Record<string, HeaderDeclaration>;

export const commonHeaders = { ...readHeaders, ...callerHeaders };

export type CommonHeader = keyof typeof commonHeaders;

export const writeHeaders = {
  'x-network-write-revision': {
    description:
      'The revision that shows this write. A read with this `x-network-min-revision` shows the write.',
    schema: digits,
    example: '48214',
  },
} satisfies Record<string, HeaderDeclaration>;

export const limitHeaders = {
  'ratelimit-policy': {
    description: 'The applied limits (IETF httpapi draft): quota `q` and window `w` in seconds.',
    schema: z.string(),
    example: '"anonymous";q=120;w=60',
  },
  ratelimit: {
    description: 'The remaining quota: `r` requests for `t` seconds.',
    schema: z.string(),
    example: '"anonymous";r=119;t=60',
  },
} satisfies Record<string, HeaderDeclaration>;

/** Headers of refusals: `retry-after` on every 429 and 503, `www-authenticate` on every 401, `allow` on every 405. */
export const refusalHeaders = {
  allow: {
    description: 'The methods of the path (RFC 9110, section 10.2.1).',
    schema: z.string(),
    example: 'GET, HEAD',
  },
  'retry-after': {
    description: 'Seconds to wait before the identical request.',
    schema: z.string().regex(/^[1-9][0-9]*$/),
    example: '2',
  },
  'www-authenticate': {
    description: 'The authentication scheme (RFC 6750, section 3; for applications RFC 7617).',
    schema: z.string(),
    example: 'Bearer realm="plaza", error="invalid_token"',
  },
} satisfies Record<string, HeaderDeclaration>;

export const requestIdHeaders = {
  'x-request-id': {
    description:
      'The id of the request: your own, if you sent a well-formed one, else a new one. Tell it to the operators when you ask about a request.',
    schema: z.string().regex(clientRequestId),
    example: '3f0c8a52-6d1e-4c55-9f0e-0d6f2f1f7a10',
  },
} satisfies Record<string, HeaderDeclaration>;

export const answerHeaders = {
  link: {
    description: 'The next page (RFC 8288), with `rel="next"`. Absent on the last page.',
    schema: z.string(),
    example: '</api/posts/p_5dQ2/replies?limit=50&cursor=Zm9v>; rel="next"',
  },
} satisfies Record<string, HeaderDeclaration>;

export type AnswerHeader = keyof typeof answerHeaders;

export const requestHeaders = {
  'x-request-id': {
    description:
      'An id of your own for this request. The answer repeats it, and the operators can search for it. It is kept for good, so put nothing personal in it. A malformed one is ignored.',
    schema: z.string().regex(clientRequestId),
    example: 'pebble-7f3a-000142',
  },
  'x-network-min-revision': {
    description: 'Minimum revision that the answer must show: 1 to 19 digits.',
    schema: z.string().regex(/^[0-9]{1,19}$/),
    example: '48214',
  },
  'last-event-id': {
    description: 'Position to resume the stream from: `id` of the last received event.',
    schema: digits,
    example: '48213',
  },
} satisfies Record<string, HeaderDeclaration>;

export type RequestHeader = keyof typeof requestHeaders;
