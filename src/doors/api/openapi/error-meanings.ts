import { MAX_CHANGES } from '../../../commands/support/handle-idempotent-command.js';
import { limits } from '../../../base/config/limit-settings.js';
import { MAX_MENTIONS } from '../../../domain/post/mentions.js';
import type { ErrorCode } from '../../../server/errors.js';

export const errorMeanings: { readonly [Code in ErrorCode]: string } = {
  unknown_or_immutable_field: 'The body has a field that this operation does not accept; leave it out.',
  invalid_text: 'text must be 1 to 2,000 code points of valid Unicode without control characters.',
  invalid_json: 'Send one JSON object in UTF-8, as application/json.',
  intent_required: 'Send an intentId: 1 to 128 characters of A-Z a-z 0-9 . _ : -.',
  unsupported_audience: 'audience must be "public".',
  invalid_parent: 'parentId must be the identifier of a post.',
  revision_required: 'Send the revision that you have read.',
  self_relation: 'You cannot follow yourself.',
  self_block: 'You cannot block yourself.',
  invalid_report: 'Name one post or one actor, and a reason.',
  invalid_cursor: 'Send the cursor of an earlier view or event.',
  invalid_page_cursor: 'cursor must be the cursor of the previous page; start again with the first page.',
  invalid_website: 'website must be empty or an absolute http(s) URL of up to 2,048 characters.',
  invalid_request: 'The request is not well-formed; the message says where.',
  authentication_required: 'Send an access token: Authorization: Bearer <token>.',
  invalid_token: 'The access token is unknown, expired or revoked; refresh it or sign in.',
  capability_required: 'The grant lacks the scope; ask for it in a new sign-in.',
  not_owner: 'The post belongs to another actor.',
  interaction_unavailable: 'You cannot interact with this actor or post.',
  social_authority_required: 'The account or the application is suspended.',
  origin_required: 'Send the header Origin.',
  origin_mismatch: "Omit Origin, or send the network's own; address requests to its own host.",
  not_found: 'No such resource exists, or you cannot see it.',
  post_unavailable: 'No such post exists, or you cannot see it.',
  parent_unavailable: 'The post to reply to does not exist, or you cannot see it.',
  intent_conflict: 'This intentId was used for another action; create a new one for each action.',
  revision_conflict: 'The resource has changed since; read it again before the next change.',
  post_deleted: 'The post is deleted.',
  effect_mismatch: 'The handle is taken; choose another one.',
  lifecycle_revision_conflict: 'The state has changed since; read it again.',
  recovery_publication_changed: 'The read models were replaced during this request; retry.',
  witness_prepare_mismatch:
    'A restriction with this intentId and other content is in doubt; use a new intentId.',
  witness_acceptance_mismatch:
    'The witness contradicts the log; only the operators of the network can resolve this.',
  domain_plan_too_large: `Send at most ${limits.bodies.bytes / 1024} KiB, name at most ${MAX_MENTIONS} handles in a text, and change one thing at most ${MAX_CHANGES.toLocaleString('en')} times.`,
  pilot_rate_limited: 'The limit is used up; wait Retry-After seconds.',
  server_error: 'The server failed. Retrying may help.',
  publishing_paused: 'Publishing is paused for everybody; retry later with the same intentId.',
  auth_unavailable: 'Sign-in is not available now; retry later.',
  authority_unavailable: 'Your authority cannot be checked now; retry later.',
  protected_read_unavailable:
    'The read models have not caught up with the required revision, or the server has too many requests; retry.',
  protected_read_storage_unavailable: 'The read store cannot be reached; retry later.',
  recovery_unavailable: 'The recovery state cannot be read now; retry later.',
  recovery_state_missing: 'The network is being set up; retry later.',
  recovery_quarantined:
    'The network is in recovery; reads and mutations are refused until recovery ends. Nothing was written.',
  domain_storage_unavailable:
    'The write is not confirmed, and the message says if it may be stored; retry with the same intentId.',
  pilot_storage_unavailable: 'The read store cannot be reached; retry later.',
  pilot_limits_unavailable: 'Rate limits cannot be counted now; retry later.',
  trusted_address_unavailable:
    'The network cannot determine your address; its operators must configure their proxies.',
  restriction_witness_required:
    'No witness is available for restrictions; retry later with the same intentId.',
  restriction_witness_unavailable_or_incomplete:
    'The witness cannot be reached or lacks restrictions; retry later with the same intentId.',
  ambiguous_acceptance_requires_independent_proof:
    'The restriction is not confirmed for every reader yet; retry with the same intentId.',
  witness_finalize_unconfirmed:
    'The witness has not confirmed the restriction yet; retry with the same intentId.',
};
