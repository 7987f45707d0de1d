import type { ErrorCode } from '../../../server/errors.js';
import type { Method } from './openapi.js';

/** Codes of every operation, and of operations with a common trait. */
const everywhere = ['invalid_request', 'origin_mismatch', 'server_error'] as const;

const limited = ['pilot_rate_limited', 'pilot_limits_unavailable'] as const;

const ofAnonymous = ['pilot_storage_unavailable', 'trusted_address_unavailable'] as const;

const ofTokens = ['invalid_token', 'social_authority_required'] as const;

const ofReads = [
  'protected_read_unavailable',
  'protected_read_storage_unavailable',
  'recovery_publication_changed',
  'recovery_quarantined',
  'recovery_state_missing',
  'restriction_witness_unavailable_or_incomplete',
] as const;

const ofMutations = [
  'intent_required',
  'intent_conflict',
  'unknown_or_immutable_field',
  'authority_unavailable',
  'domain_storage_unavailable',
  'recovery_quarantined',
  'recovery_state_missing',
  'restriction_witness_unavailable_or_incomplete',
] as const;

const ofBodies = ['invalid_json', 'unknown_or_immutable_field', 'domain_plan_too_large'] as const;

/**
 * Codes of an operation that makes no restriction but may report one, such as a repeated creation of a post that was
 * deleted since: before the answer the restriction must be witnessed and hold for every reader.
 */
export const reportedRestrictionErrors = [
  'ambiguous_acceptance_requires_independent_proof',
  'restriction_witness_required',
  'restriction_witness_unavailable_or_incomplete',
  'witness_acceptance_mismatch',
  'witness_finalize_unconfirmed',
] as const;

export const restrictionErrors = [...reportedRestrictionErrors, 'witness_prepare_mismatch'] as const;

/** Access to an operation. `scope` undefined: any token is enough. */
export interface AccessRule {
  readonly scope?: string;
  readonly anonymous: boolean;
}

export interface OperationTraits {
  readonly access: AccessRule;
  readonly mutates: boolean;
  readonly publishes: boolean;
  /** In lower case. A body is read for every method but GET, also if none is expected. */
  readonly method: Method;
}

export function sharedErrors({ access, mutates, publishes, method }: OperationTraits): readonly ErrorCode[] {
  return [
    ...everywhere,
    ...limited,
    ...ofTokens,
    ...(access.anonymous ? ofAnonymous : (['authentication_required'] as const)),
    ...(access.scope === undefined ? [] : (['capability_required'] as const)),
    ...(mutates ? ofMutations : ofReads),
    ...(publishes ? (['publishing_paused'] as const) : []),
    ...(method === 'get' ? [] : ofBodies),
  ];
}
