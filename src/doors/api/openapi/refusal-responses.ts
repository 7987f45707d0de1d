import { httpStatusOf } from '../../../server/errors.js';
import type { ErrorCode } from '../../../server/errors.js';
import type { OAuthCode } from '../../../server/oauth-codes.js';
import { errorMeanings } from './error-meanings.js';
import { headersOf } from './header-objects.js';
import type { HeaderName, OptionalHeader } from './header-objects.js';
import { commonHeaders } from '../../../server/headers.js';
import type { CommonHeader } from '../../../server/headers.js';
import type { ExampleObject, OpenApi, Reference, ResponseObject } from './openapi.js';

interface Refusals {
  readonly codes: ReadonlyMap<string, ExampleObject | Reference>;
  readonly headers: readonly HeaderName[];
  readonly optional: readonly OptionalHeader[];
  /** Text of the 429: the limits that apply. */
  readonly limits: string;
}

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is malformed or invalid.',
  401: 'The credential is missing or not valid.',
  403: 'Not allowed.',
  404: 'No such resource exists, or you cannot see it.',
  405: 'The path has no such method; `Allow` names its methods.',
  409: 'Conflict with the current state.',
  413: 'The request is too large.',
  415: 'The content type is not supported.',
  500: 'The server failed.',
  503: 'Temporarily unavailable.',
};

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['www-authenticate'],
  405: ['allow'],
  429: ['retry-after'],
  503: ['retry-after'],
};

/** Statuses that may refuse a read after its caller was admitted, and then have the headers of a read. */
const afterAdmission: ReadonlySet<number> = new Set([400, 404, 429, 503]);
const common = Object.keys(commonHeaders) as CommonHeader[];

function refusalResponse(status: number, { codes, headers, optional, limits }: Refusals): ResponseObject {
  const sorted = [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    description: status === 429 ? limits : (descriptions[status] ?? 'Refused.'),
    ...headersOf([...(headersOfStatus[status] ?? []), ...headers], optional),
    content: {
      'application/json': {
        // The examples name the codes: any schema beside the reference makes generators invent a type for each refusal.
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(sorted),
      },
    },
  };
}

export const refusalExamples: OpenApi['components']['examples'] = Object.fromEntries(
  Object.entries(errorMeanings)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([error, message]) => [error, { value: { error, message } }]),
);

export function socialRefusalResponses(
  codes: readonly ErrorCode[],
  {
    isRead,
    published,
    limits,
  }: {
    readonly isRead: boolean;
    readonly published: Readonly<Record<number, ErrorCode>>;
    readonly limits: string;
  },
): Readonly<Record<string, ResponseObject>> {
  const byStatus = new Map<number, Map<string, Reference>>();
  const add = (status: number, code: ErrorCode) =>
    byStatus.set(
      status,
      (byStatus.get(status) ?? new Map<string, Reference>()).set(code, {
        $ref: `#/components/examples/${code}`,
      }),
    );
  for (const code of codes) add(httpStatusOf[code], code);
  for (const [status, code] of Object.entries(published)) add(Number(status), code);
  return responses(byStatus, (status) => ({
    headers: status === 405 ? [] : limitHeaderNames,
    optional: isRead && afterAdmission.has(status) ? common : [],
    limits,
  }));
}

export const limitHeaderNames = ['ratelimit-policy', 'ratelimit'] as const;

/**
 * Returns the documented refusals of an endpoint of the authorization server. `hasBudget`: all of them may have
 * rate-limit headers, not only the 429.
 */
export function protocolRefusalResponses(
  byStatus: Readonly<Record<number, Readonly<Partial<Record<OAuthCode | ErrorCode, string>>>>>,
  hasBudget: boolean,
  limits: string,
): Readonly<Record<string, ResponseObject>> {
  const examples = (codes: Readonly<Record<string, string>>) =>
    new Map(
      Object.entries(codes).map(([error, error_description]) => [
        error,
        { value: { error, error_description } },
      ]),
    );
  return responses(
    new Map(Object.entries(byStatus).map(([status, codes]) => [Number(status), examples(codes)])),
    (status) => ({
      headers: (hasBudget && status !== 405) || status === 429 ? limitHeaderNames : [],
      // RFC 6750, section 3.1: the token lacks a scope.
      optional: status === 403 ? ['www-authenticate'] : [],
      limits,
    }),
  );
}

function responses(
  byStatus: ReadonlyMap<number, Refusals['codes']>,
  describe: (status: number) => Omit<Refusals, 'codes'>,
): Readonly<Record<string, ResponseObject>> {
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, refusalResponse(status, { codes, ...describe(status) })]),
  );
}
