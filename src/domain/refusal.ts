/** The published codes of refusals by the rules. src/server/errors.ts maps all codes to HTTP statuses. */
export type RefusalCode =
  | 'invalid_text'
  | 'unsupported_audience'
  | 'self_relation'
  | 'self_block'
  | 'invalid_report'
  | 'capability_required'
  | 'not_owner'
  | 'interaction_unavailable'
  | 'social_authority_required'
  | 'not_found'
  | 'intent_conflict'
  | 'revision_conflict'
  | 'post_deleted'
  | 'post_unavailable'
  | 'parent_unavailable'
  | 'effect_mismatch'
  | 'domain_plan_too_large'
  | 'recovery_state_missing'
  | 'lifecycle_revision_conflict'
  | 'invalid_website';

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
