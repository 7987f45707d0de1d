import { statusOf } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import type { OAuthCode } from '../resources/error.js';
import { meaningOf } from './error-meanings.js';
import { headersOf } from './header-objects.js';
import type { HeaderName } from './header-objects.js';
import type { ResponseObject } from './openapi.js';

/** Where programs read what is wrong in words: in `message`, or under OAuth's own name. */
type Wording = 'message' | 'error_description';

/** What some status of an operation's refusals looks like. */
interface Refusals {
  /** With what they mean. */
  readonly codes: ReadonlyMap<string, string>;
  readonly wording: Wording;
  /** Beside those of the status. */
  readonly headers: readonly HeaderName[];
  /** RFC 6750, section 3.1: where a token lacks a scope. */
  readonly mayChallenge: boolean;
}

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request cannot be understood.',
  401: 'No live credential.',
  403: 'Not allowed.',
  404: 'Not there, or not for you.',
  405: 'Not with this method.',
  409: 'It conflicts with what is.',
  413: 'Too large.',
  415: 'Not in a form that is read here.',
  429: 'The limit is used up.',
  500: 'The server failed.',
  503: 'Not now.',
};

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['www-authenticate'],
  429: ['retry-after'],
  503: ['retry-after'],
};

/** The refusals of one status: the published Error object with one of the codes. */
export function refusalResponse(
  status: number,
  { codes, wording, headers, mayChallenge }: Refusals,
): ResponseObject {
  const sorted = [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    description: descriptions[status] ?? 'Refused.',
    ...headersOf([...(headersOfStatus[status] ?? []), ...headers], mayChallenge ? ['www-authenticate'] : []),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { error: { enum: sorted.map(([code]) => code) } }, required: ['error', wording] },
          ],
        },
        examples: Object.fromEntries(
          sorted.map(([code, meaning]) => [code, { value: { error: code, [wording]: meaning } }]),
        ),
      },
    },
  };
}

/** Statuses of an operation of the social API, from its codes. */
export function socialRefusals(
  codes: readonly ErrorCode[],
  { readsBody }: { readonly readsBody: boolean },
): Readonly<Record<string, ResponseObject>> {
  const byStatus = new Map<number, Map<ErrorCode, string>>();
  const add = (status: number, code: ErrorCode) =>
    byStatus.set(status, (byStatus.get(status) ?? new Map<ErrorCode, string>()).set(code, meaningOf[code]));
  for (const code of codes) add(statusOf[code], code);
  if (readsBody) add(415, 'invalid_json');
  return responses(byStatus, () => ({
    wording: 'message',
    headers: ['ratelimit-policy', 'ratelimit'],
    mayChallenge: false,
  }));
}

/** Statuses of an endpoint of the authorization server, from its codes by status, with what they mean. */
export function protocolRefusals(
  byStatus: Readonly<Record<number, Readonly<Partial<Record<OAuthCode | ErrorCode, string>>>>>,
): Readonly<Record<string, ResponseObject>> {
  return responses(
    new Map(
      Object.entries(byStatus).map(([status, codes]) => [Number(status), new Map(Object.entries(codes))]),
    ),
    (status) => ({ wording: 'error_description', headers: [], mayChallenge: status === 403 }),
  );
}

function responses(
  byStatus: ReadonlyMap<number, ReadonlyMap<string, string>>,
  manner: (status: number) => Omit<Refusals, 'codes'>,
): Readonly<Record<string, ResponseObject>> {
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, refusalResponse(status, { codes, ...manner(status) })]),
  );
}
