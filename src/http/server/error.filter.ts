import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusal.js';
import { LimitsUnavailable } from '../../limits/shared-window.js';
import { LogUnavailable, NotWitnessed } from '../../log/event-log.js';
import type { WitnessCode } from '../../log/event-log.js';
import { PersonErased } from '../../log/vault/key-vault.js';
import { isUnreachable } from '../../store/unreachable.js';
import { HttpRefusal } from './errors.js';
import type { ErrorBody, ErrorCode } from './errors.js';

/** Turns whatever went wrong into the published Error object. What nobody foresaw is logged whole and answered bare. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = isCutOff(error, request) ? cutOff() : noted(error, request.log);
  // Where a window is used up, the answer says already when it ends.
  if ([429, 503].includes(refusal.status) && !reply.hasHeader('retry-after'))
    void reply.header('retry-after', String(refusal.retryAfterSeconds));
  if (refusal.status === 401) void reply.header('www-authenticate', challengeOf(refusal));
  const body: ErrorBody = isOfProtocol(request)
    ? { error: protocolCode(refusal), error_description: refusal.message }
    : { error: refusal.code, message: refusal.message };
  void reply.status(refusal.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** The client went in the midst of its body: what looks like a store that cannot be reached is no fault of ours. */
const isCutOff = (error: unknown, { raw }: FastifyRequest): boolean =>
  raw.errored !== null && raw.errored === error;

const cutOff = () => new HttpRefusal('invalid_request', 'The body breaks off; send all of it.');

/** The Error object for a client that is answered already, and listens to a stream. */
export function errorBody(error: unknown, log: Log): ErrorBody {
  const { code, message } = noted(error, log);
  return { error: code, message };
}

type Log = Pick<FastifyRequest['log'], 'error' | 'warn'>;

function noted(error: unknown, log: Log): HttpRefusal {
  const refusal = refusalOf(error);
  if (refusal.code === 'server_error') log.error({ err: error }, 'unforeseen failure of a request');
  // Without a cause it is a state that is known elsewhere, and whoever asks would fill the log with it.
  else if (refusal.cause instanceof NotWitnessed || (refusal.status === 503 && refusal.cause !== undefined))
    log.warn({ code: refusal.code, err: refusal.cause }, 'refused');
  return refusal;
}

/** Where OAuth clients read what is wrong: below the protocol's paths, whether or not there is anything at the address. */
function isOfProtocol({ routeOptions, url }: FastifyRequest): boolean {
  return isProtocolPath(routeOptions.url ?? url);
}

export const isProtocolPath = (path: string): boolean => protocolPath.test(path);

const protocolPath =
  /^(\/api\/auth\/(oauth2|jwks|\.well-known)|\/\.well-known\/oauth-authorization-server)([/?]|$)/;

/** What is wrong with a body has one code there. */
const protocolCode = ({ status, code }: HttpRefusal): ErrorCode =>
  status === 413 || status === 415 ? 'invalid_request' : code;

/** RFC 6750, section 3: no error code where no credential was sent. */
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
      'Nothing is known to be written; retry with the same intentId.',
      {
        cause: error,
      },
    );
  if (error instanceof LimitsUnavailable)
    return new HttpRefusal('pilot_limits_unavailable', 'Limits cannot be counted now; retry later.', {
      cause: error,
    });
  if (isUnreachable(error))
    return new HttpRefusal(
      'authority_unavailable',
      'Nothing is known to be written; retry with the same intentId.',
      {
        cause: error,
      },
    );
  return ofFramework(error) ?? new HttpRefusal('server_error', 'The server failed. Retrying may help.');
}

/** What the client of a restriction does next. */
function adviceOf(code: WitnessCode): string {
  if (code === 'witness_prepare_mismatch') return 'Use a new intentId.';
  return code === 'witness_acceptance_mismatch'
    ? 'Nobody but the operators can mend this.'
    : 'Retry with the same intentId.';
}

/** Fastify says with a `code` or a `statusCode`, Nest with `getStatus()`, what is wrong with a request. */
function ofFramework(error: unknown): HttpRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const status =
    'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 'getStatus' in error && typeof error.getStatus === 'function'
        ? Number(error.getStatus())
        : 500;
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
