import type { IncomingMessage } from 'node:http';
import { asksForPage } from './asks-for-page.js';
import { isProtocolPath } from './error.filter.js';
import { DEFAULT_RETRY_AFTER_SECONDS } from './errors.js';
import type { Operations } from './operations.js';
import type { RefusalLabels } from './refusal-code.js';

/** A whole 503, but for its `x-request-id`. */
export interface PreparedRefusal {
  readonly labels: RefusalLabels;
  /** Names and values of the headers in turns. */
  readonly fields: readonly string[];
  readonly body: string;
}

type Headers = Readonly<Record<string, string>>;

interface Page {
  readonly headers: Headers;
  readonly html: string;
}

export const BUSY = 'The server has too many requests in work.';

/**
 * Prepares the refusals of requests of which nothing was done, so that one costs next to nothing. They have the codes and
 * forms of other refusals. `page`: for a browser, outside of `operations`. `common`: headers of every answer.
 */
export function prepareRefusals(
  common: Headers,
  page: Page,
  operations: Operations,
): (request: IncomingMessage) => PreparedRefusal {
  const refusal = (labels: RefusalLabels, body: string, headers: Headers = {}): PreparedRefusal => ({
    labels,
    body,
    fields: Object.entries({
      ...common,
      'retry-after': String(DEFAULT_RETRY_AFTER_SECONDS),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    }).flat(),
  });
  const object = (
    labels: RefusalLabels,
    wording: 'message' | 'error_description',
    text: string,
    headers?: Headers,
  ) => refusal(labels, JSON.stringify({ error: labels.code, [wording]: `${BUSY} ${text}` }), headers);
  const later = 'Retry later.';
  const ofRead = object({ code: 'protected_read_unavailable' }, 'message', later);
  const ofMutation = object(
    { code: 'domain_storage_unavailable', written: 'no' },
    'message',
    'Nothing was written; retry later with the same intentId.',
  );
  const ofProtocol = object({ code: 'temporarily_unavailable' }, 'error_description', later);
  const ofPage = object({ code: 'auth_unavailable' }, 'message', later, { vary: 'Accept' });
  const inBrowser = refusal({ code: 'auth_unavailable' }, page.html, { ...page.headers, vary: 'Accept' });
  return (request) => {
    const { url = '', headers } = request;
    if (asksForPage(headers) && !operations.hasAddress(request)) return inBrowser;
    if (!isProtocolPath(url)) return isRead(request) ? ofRead : ofMutation;
    return /^\/api\/auth\/(?:account|interaction)\b/.test(url) ? ofPage : ofProtocol;
  };
}

/** True for a request that writes nothing, by its method and path. */
export const isRead = ({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean =>
  method === 'GET' || method === 'HEAD' || url.startsWith('/api/intents/');
