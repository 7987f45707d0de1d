/** Published domain codes (network-api.md, "Domain codes"). src/http/server/errors.ts maps them to HTTP statuses. */
export const refusalCodes = [
  'unknown_or_immutable_field',
  'invalid_text',
  'invalid_json',
  'intent_required',
  'unsupported_audience',
  'invalid_parent',
  'revision_required',
  'self_relation',
  'self_block',
  'invalid_report',
  'invalid_cursor',
  'authentication_required',
  'auth_unavailable',
  'authority_unavailable',
  'capability_required',
  'not_owner',
  'interaction_unavailable',
  'social_authority_required',
  'not_found',
  'intent_conflict',
  'revision_conflict',
  'post_deleted',
  'post_unavailable',
  'parent_unavailable',
  'effect_mismatch',
  'domain_plan_too_large',
  'publishing_paused',
  'pilot_rate_limited',
  'protected_read_unavailable',
  'protected_read_storage_unavailable',
  'recovery_unavailable',
  'domain_storage_unavailable',
  'pilot_storage_unavailable',
  'pilot_limits_unavailable',
  'trusted_address_unavailable',
  'origin_required',
  'origin_mismatch',
  'restriction_witness_required',
  'restriction_witness_unavailable_or_incomplete',
  'recovery_state_missing',
  'recovery_publication_changed',
  'recovery_quarantined',
  'lifecycle_revision_conflict',
  'witness_prepare_mismatch',
  'ambiguous_acceptance_requires_independent_proof',
  'witness_acceptance_mismatch',
  'witness_finalize_unconfirmed',
  'invalid_page_cursor',
  'invalid_website',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

export type Decision<Event> = readonly Event[] | Refusal;
