import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusal.js';
import { LimitsUnavailable } from './limits/shared-window.js';
import { LogUnavailable, NotWitnessed } from '../log/event-log.js';
import type { WitnessCode } from '../log/event-log.js';
import { PersonErased } from '../log/vault/key-vault.js';
import { isUnreachable } from '../base/store/unreachable.js';
import { pageHeaders } from '../base/pages/layout.js';
import { asksForPage } from './asks-for-page.js';
import { HttpRefusal } from './errors.js';
import type { ErrorBody, ErrorCode } from './errors.js';
import type { RefusalPages } from './refusal-pages.js';
import { setRefusalCode } from './refusal-code.js';

/**
 * Maps every error to the published Error object, or to a page where `pages` has one for a browser. An unforeseen error
 * is logged whole, and its answer gives no details.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly pages: RefusalPages) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.pages);
  }
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  pages?: RefusalPages,
): void {
  const refusal = incompleteBody(error, request) ?? logged(error, request.log);
  // A used-up limit has set its own `retry-after`.
  if ([429, 503].includes(refusal.status) && !reply.hasHeader('retry-after'))
    void reply.header('retry-after', String(refusal.retryAfterSeconds));
  if (refusal.status === 401) void reply.header('www-authenticate', challengeOf(refusal));
  const body: ErrorBody = isProtocolRequest(request)
    ? { error: protocolCode(refusal), error_description: refusal.message }
    : { error: refusal.code, message: refusal.message };
  setRefusalCode(reply.raw, refusal.code, refusal.written);
  void reply.status(refusal.status);
  const forPeople = pages?.hasPage(request) ? pages : undefined;
  if (forPeople) void reply.header('vary', 'Accept');
  if (forPeople && asksForPage(request.headers))
    void reply.headers(pageHeaders()).send(forPeople.pageOf(refusal, request));
  else void reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/**
 * The refusal of a body that its client broke off; undefined: it is another error. The ECONNRESET looks like that of an
 * unreachable store.
 */
export const incompleteBody = (error: unknown, { raw }: FastifyRequest): HttpRefusal | undefined =>
  raw.errored !== null && raw.errored === error
    ? new HttpRefusal('invalid_request', 'The body is incomplete; send all of it.')
    : undefined;

export function errorBody(error: unknown, log: Log): Extract<ErrorBody, { readonly message: string }> {
  const { code, message } = logged(error, log);
  return { error: code, message };
}

type Log = Pick<FastifyRequest['log'], 'error' | 'warn'>;

function logged(error: unknown, log: Log): HttpRefusal {
  const refusal = refusalOf(error);
  if (refusal.code === 'server_error') log.error({ err: error }, 'unforeseen failure of a request');
  // A refusal without a cause is a known state, and each request would log it again.
  else if (refusal.cause instanceof NotWitnessed || (refusal.status === 503 && refusal.cause !== undefined))
    log.warn({ code: refusal.code, err: refusal.cause }, 'refused');
  return refusal;
}

/** True below the paths of the protocol, also at unknown addresses: OAuth clients read an error format of their own. */
function isProtocolRequest({ routeOptions, url }: FastifyRequest): boolean {
  return isProtocolPath(routeOptions.url ?? url);
}

export const isProtocolPath = (path: string): boolean => protocolPath.test(path);

const protocolPath = /^(\/api\/auth|\/\.well-known\/oauth-authorization-server)([/?]|$)/;

/** OAuth has one code for every fault of a body, also of its size and type. */
const protocolCode = ({ status, code }: HttpRefusal): ErrorCode =>
  status === 413 || status === 415 ? 'invalid_request' : code;

/** Value of `WWW-Authenticate`: no error code without a credential (RFC 6750, section 3). */
function challengeOf({ code }: HttpRefusal): string {
  return code === 'invalid_token' ? 'Bearer realm="plaza", error="invalid_token"' : 'Bearer realm="plaza"';
}

function refusalOf(error: unknown): HttpRefusal {
  if (error instanceof HttpRefusal) return error;
  if (error instanceof Refusal) return new HttpRefusal(error.code, error.message);
  if (error instanceof PersonErased)
    return new HttpRefusal('social_authority_required', 'This account can no longer act.');
  if (error instanceof NotWitnessed)
    return new HttpRefusal(error.code, `${error.message} ${adviceOf(error.code)}`, { cause: error });
  if (error instanceof LogUnavailable)
    return new HttpRefusal(
      'domain_storage_unavailable',
      'The write is not confirmed, and may be stored; retry with the same intentId.',
      { cause: error, written: 'unknown' },
    );
  if (error instanceof LimitsUnavailable)
    return new HttpRefusal('pilot_limits_unavailable', 'Rate limits cannot be counted now; retry later.', {
      cause: error,
    });
  if (isUnreachable(error))
    return new HttpRefusal(
      'authority_unavailable',
      'The write is not confirmed; retry with the same intentId.',
      {
        cause: error,
      },
    );
  return ofFramework(error) ?? new HttpRefusal('server_error', 'The server failed. Retrying may help.');
}

function adviceOf(code: WitnessCode): string {
  if (code === 'witness_prepare_mismatch') return 'Use a new intentId.';
  return code === 'witness_acceptance_mismatch'
    ? 'Only the operators of the network can resolve this.'
    : 'Retry with the same intentId.';
}

/**
 * Converts errors of Fastify, which have a `statusCode`, and of Nest, which have a `getStatus()`. Undefined for all
 * others, and for a 5xx.
 */
function ofFramework(error: unknown): HttpRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const status =
    'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 'getStatus' in error && typeof error.getStatus === 'function'
        ? Number(error.getStatus())
        : 500;
  if ('code' in error && error.code === 'FST_ERR_BAD_URL')
    return new HttpRefusal('invalid_request', 'The percent-encoding of the address is not UTF-8.');
  switch (status) {
    case 404:
      return new HttpRefusal('not_found', 'There is nothing at this address.');
    case 413:
      return new HttpRefusal('domain_plan_too_large', 'The body is too large; send at most 64 KiB.');
    case 415:
      return new HttpRefusal('invalid_json', 'Send the body as application/json.', { status });
    default:
      return status >= 400 && status < 500
        ? new HttpRefusal('invalid_request', error.message, { status: 400 })
        : undefined;
  }
}
