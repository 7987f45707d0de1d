import { errors } from 'oidc-provider';
import { HttpRefusal } from '../../../server/errors.js';
import { oauthCodes } from '../../../server/oauth-codes.js';
import { Refusal } from '../../../domain/refusal.js';
import { NotWitnessed } from '../../../log/event-log.js';
import { isOutage } from '../../../log/witness/outage.js';

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

const publishedFor: ReadonlyMap<string, FaultCode> = new Map([
  ['insufficient_scope', 'capability_required'],
  ['unauthorized_client', 'invalid_client'],
  ['invalid_client_metadata', 'server_error'],
]);

export function publishedCode(code: string): FaultCode {
  return published.find((known) => known === code) ?? publishedFor.get(code) ?? 'invalid_request';
}

export class Fault extends Error {
  override readonly name = 'Fault';
  /** True if the request was refused before any write. */
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

  /** The code on pages and in the social API: `temporarily_unavailable` is a word of OAuth alone. */
  get socialCode(): Exclude<FaultCode, 'temporarily_unavailable'> | 'auth_unavailable' {
    return this.code === 'temporarily_unavailable' ? 'auth_unavailable' : this.code;
  }

  get isTransient(): boolean {
    return this.status === 503;
  }
}

/**
 * Converts any thrown value to an error answer. Details of an unforeseen error stay in `cause`, which only the operator
 * sees.
 */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof NotWitnessed)
    return new Fault(503, 'temporarily_unavailable', `${error.message} Please try again later.`, {
      cause: error,
    });
  if (isOutage(error) || (error instanceof HttpRefusal && error.status === 503))
    return new Fault(
      503,
      'temporarily_unavailable',
      'The network cannot answer this now. Please try again in a few seconds.',
      { cause: error },
    );
  if (error instanceof errors.SessionNotFound)
    return new Fault(400, 'invalid_request', 'This sign-in has expired, or was started in another browser.', {
      cause: error,
    });
  if (error instanceof errors.OIDCProviderError && error.expose)
    return new Fault(error.statusCode, publishedCode(error.error), error.error_description ?? error.error, {
      cause: error,
    });
  if (error instanceof Refusal)
    return new Fault(403, publishedCode(error.code), error.message, { cause: error });
  if (isHttpError(error)) return new Fault(statusOf(error), publishedCode(error.code), error.message);
  return new Fault(500, 'server_error', 'The server failed. Retrying may help.', { cause: error });
}

interface HttpError extends Error {
  readonly code: string;
  readonly status?: number;
  readonly statusCode?: number;
}

const statusOf = ({ status, statusCode }: HttpError) => status ?? statusCode ?? 500;

function isHttpError(error: unknown): error is HttpError {
  if (!(error instanceof Error) || typeof (error as HttpError).code !== 'string') return false;
  const status = statusOf(error as HttpError);
  return status >= 400 && status < 500;
}

export function oauthError({ code, description }: Fault): { error: FaultCode; error_description: string } {
  return { error: code, error_description: description };
}

export const RETRY_AFTER_SECONDS = '2';
