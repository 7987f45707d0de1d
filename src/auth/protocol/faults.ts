import { errors } from 'oidc-provider';
import { oauthCodes } from '../../http/server/oauth-codes.js';
import { Refusal } from '../../domain/refusal.js';
import { LogUnavailable, NotWitnessed } from '../../log/event-log.js';
import { isUnreachable } from '../../store/unreachable.js';

/** The published OAuth codes, and the domain's where those have none. */
const published = [
  ...oauthCodes,
  'authentication_required',
  'not_found',
  'capability_required',
  'social_authority_required',
  'origin_required',
  'origin_mismatch',
  'pilot_rate_limited',
  'pilot_limits_unavailable',
  'trusted_address_unavailable',
] as const;

export type FaultCode = (typeof published)[number];

/** What the library says that is not published, in published words. What is not here is an `invalid_request`. */
const inOtherWords: ReadonlyMap<string, FaultCode> = new Map([
  ['insufficient_scope', 'capability_required'],
  ['unauthorized_client', 'invalid_client'],
  ['invalid_client_metadata', 'server_error'],
]);

export function publishedCode(code: string): FaultCode {
  return published.find((known) => known === code) ?? inOtherWords.get(code) ?? 'invalid_request';
}

/** What is wrong, as an application or a person is told it. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** Refused before anything was tried, also where it is one that passes. */
  readonly wroteNothing: boolean;

  constructor(
    readonly status: number,
    readonly code: FaultCode,
    readonly description: string,
    { wroteNothing = false, ...options }: { readonly cause?: unknown; readonly wroteNothing?: boolean } = {},
  ) {
    super(description, options);
    this.wroteNothing = wroteNothing;
  }

  /** The code where a person or a program of the social API reads it: OAuth has a word of its own for this one. */
  get socialCode(): Exclude<FaultCode, 'temporarily_unavailable'> | 'auth_unavailable' {
    return this.code === 'temporarily_unavailable' ? 'auth_unavailable' : this.code;
  }

  /** Passes by itself: worth another try in a few seconds. */
  get passing(): boolean {
    return this.status === 503;
  }
}

/** Sums up whatever was thrown. Details of what nobody foresaw stay in `cause`, for the operator. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof NotWitnessed)
    return new Fault(503, 'temporarily_unavailable', `${error.message} Please try again later.`, {
      cause: error,
    });
  if (error instanceof LogUnavailable || isUnreachable(error))
    return new Fault(503, 'temporarily_unavailable', 'Please try again in a few seconds.', { cause: error });
  if (error instanceof errors.SessionNotFound)
    return new Fault(400, 'invalid_request', 'This sign-in is over, or was begun in another browser.', {
      cause: error,
    });
  if (error instanceof errors.OIDCProviderError && error.expose)
    return new Fault(error.statusCode, publishedCode(error.error), error.error_description ?? error.error, {
      cause: error,
    });
  if (error instanceof Refusal)
    return new Fault(403, publishedCode(error.code), error.message, { cause: error });
  if (saysWhatIsWrong(error)) return new Fault(statusOf(error), publishedCode(error.code), error.message);
  return new Fault(500, 'server_error', 'The server failed. Trying again may help.', { cause: error });
}

interface HttpError extends Error {
  readonly code: string;
  readonly status?: number;
  readonly statusCode?: number;
}

const statusOf = ({ status, statusCode }: HttpError) => status ?? statusCode ?? 500;

/** What refuses a request before a page is asked for it: Fastify, or the HTTP server's own rules. Known by its shape. */
function saysWhatIsWrong(error: unknown): error is HttpError {
  if (!(error instanceof Error) || typeof (error as HttpError).code !== 'string') return false;
  const status = statusOf(error as HttpError);
  return status >= 400 && status < 500;
}

/** Body of an OAuth error: these two members and no other. */
export function oauthError({ code, description }: Fault): { error: FaultCode; error_description: string } {
  return { error: code, error_description: description };
}

/** Seconds to wait after a 503. */
export const RETRY_AFTER = '2';
