import type { PublishedDomainCode } from './domain-codes.js';
import type { RefusalLabels } from './refusal-code.js';

export type ErrorCode = PublishedDomainCode | 'invalid_request' | 'invalid_token' | 'server_error';

/** The published Error object: `message` in the social API, `error_description` for OAuth clients. */
export type ErrorBody =
  | { readonly error: ErrorCode; readonly message: string }
  | { readonly error: ErrorCode; readonly error_description: string };

/** The single mapping of codes to HTTP statuses (docs/api-decisions.md, "Errors"). */
export const httpStatusOf: { readonly [Code in ErrorCode]: number } = {
  unknown_or_immutable_field: 400,
  invalid_text: 400,
  invalid_json: 400,
  intent_required: 400,
  unsupported_audience: 400,
  invalid_parent: 400,
  revision_required: 400,
  self_relation: 400,
  self_block: 400,
  invalid_report: 400,
  invalid_cursor: 400,
  invalid_page_cursor: 400,
  invalid_website: 400,
  invalid_request: 400,
  authentication_required: 401,
  invalid_token: 401,
  capability_required: 403,
  not_owner: 403,
  interaction_unavailable: 403,
  social_authority_required: 403,
  origin_required: 403,
  origin_mismatch: 403,
  not_found: 404,
  post_unavailable: 404,
  parent_unavailable: 404,
  intent_conflict: 409,
  revision_conflict: 409,
  post_deleted: 409,
  effect_mismatch: 409,
  lifecycle_revision_conflict: 409,
  recovery_publication_changed: 409,
  witness_prepare_mismatch: 409,
  witness_acceptance_mismatch: 409,
  domain_plan_too_large: 413,
  pilot_rate_limited: 429,
  server_error: 500,
  publishing_paused: 503,
  auth_unavailable: 503,
  authority_unavailable: 503,
  protected_read_unavailable: 503,
  protected_read_storage_unavailable: 503,
  recovery_unavailable: 503,
  recovery_state_missing: 503,
  recovery_quarantined: 503,
  domain_storage_unavailable: 503,
  pilot_storage_unavailable: 503,
  pilot_limits_unavailable: 503,
  trusted_address_unavailable: 503,
  restriction_witness_required: 503,
  restriction_witness_unavailable_or_incomplete: 503,
  ambiguous_acceptance_requires_independent_proof: 503,
  witness_finalize_unconfirmed: 503,
};

/** Default `Retry-After`, for faults that end by themselves within seconds. */
export const DEFAULT_RETRY_AFTER_SECONDS = 2;
/** `Retry-After` while publishing is paused, which only an operator ends. */
const RETRY_AFTER_PAUSE_SECONDS = 60;

const retryAfterSecondsOf = (code: ErrorCode): number =>
  code === 'publishing_paused' ? RETRY_AFTER_PAUSE_SECONDS : DEFAULT_RETRY_AFTER_SECONDS;

/**
 * An error answer with its published code, HTTP status and `Retry-After`; refusals of the domain are converted to it.
 */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: {
      readonly status?: number;
      readonly cause?: unknown;
      readonly retryAfterSeconds?: number;
      readonly written?: RefusalLabels['written'];
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.written = options.written;
    this.status = options.status ?? httpStatusOf[code];
    this.retryAfterSeconds = options.retryAfterSeconds ?? retryAfterSecondsOf(code);
  }

  readonly retryAfterSeconds: number;

  /** Undefined: a refusal that is no question of the store of writes. */
  readonly written: RefusalLabels['written'];

  /** The status of the code, unless HTTP has a more exact one (405, 413, 415). */
  readonly status: number;
}

export const unauthenticated = () =>
  new HttpRefusal('authentication_required', 'Send an access token: Authorization: Bearer <token>.');
