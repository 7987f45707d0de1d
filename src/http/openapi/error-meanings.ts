import { MAX_CHANGES } from '../../commands/support/handle-idempotent-command.js';
import { MOST_HANDLES } from '../../domain/post/mentions.js';
import type { ErrorCode } from '../server/errors.js';

/** What each code of the social API means and asks for, as the document and its example answers say it. */
export const meaningOf: { readonly [Code in ErrorCode]: string } = {
  unknown_or_immutable_field: 'The body has a field that this operation does not take; leave it out.',
  invalid_text: 'text must be 1 to 2,000 code points of valid Unicode without control characters.',
  invalid_json: 'Send one JSON object in UTF-8, as application/json.',
  intent_required: 'Send an intentId: 1 to 128 characters of A-Z a-z 0-9 . _ : -.',
  unsupported_audience: 'audience must be "public".',
  invalid_parent: 'parentId must be the identifier of a post.',
  revision_required: 'Send the revision that you saw.',
  self_relation: 'Nobody follows themselves.',
  self_block: 'Nobody blocks themselves.',
  invalid_report: 'Name one post or one actor, and a reason.',
  invalid_cursor: 'Send the cursor of an earlier view or event.',
  invalid_page_cursor: 'cursor must be that of the page before; begin again with the first page.',
  invalid_website: 'website must be empty or an absolute http(s) URL of up to 2,048 characters.',
  invalid_request: 'The request is not well-formed; the message says where.',
  authentication_required: 'Send an access token: Authorization: Bearer <token>.',
  invalid_token: 'The access token is unknown, expired or revoked; refresh it or sign in.',
  capability_required: 'The grant lacks the scope; ask for it in a new sign-in.',
  not_owner: 'It belongs to somebody else.',
  interaction_unavailable: 'You cannot interact with this actor or post.',
  social_authority_required: 'The account or the application is suspended.',
  origin_required: 'Send the header Origin.',
  origin_mismatch: "Omit Origin, or send the network's own; address requests to its own host.",
  not_found: 'There is no such thing for you.',
  post_unavailable: 'There is no such post for you.',
  parent_unavailable: 'There is no such post to reply to for you.',
  intent_conflict: 'This intentId was used for something else; make another one for another action.',
  revision_conflict: 'It has changed since; read it again and decide anew.',
  post_deleted: 'The post is deleted.',
  effect_mismatch: 'What is asked for cannot be had: the handle is taken by another; choose another one.',
  lifecycle_revision_conflict: 'Its state has changed since; look at it again.',
  recovery_publication_changed: 'The network was just republished; retry.',
  witness_prepare_mismatch:
    'This intentId was prepared with other content, which is not settled yet; use a new one.',
  witness_acceptance_mismatch:
    'The witness contradicts what is in the log; nobody but the operators can mend this.',
  domain_plan_too_large: `Send at most 64 KiB, name at most ${MOST_HANDLES} handles in a text, and change one thing at most ${MAX_CHANGES.toLocaleString('en')} times.`,
  pilot_rate_limited: 'The limit is used up; wait Retry-After seconds.',
  server_error: 'The server failed. Retrying may help.',
  publishing_paused: 'Publishing is paused for everybody; retry later with the same intentId.',
  auth_unavailable: 'Sign-in is not available now; retry later.',
  authority_unavailable: 'Your authority cannot be checked now; retry later.',
  protected_read_unavailable: 'The answer would not show all that it has to yet; retry.',
  protected_read_storage_unavailable: 'The read store cannot be reached; retry later.',
  recovery_unavailable: 'The recovery state cannot be read now; retry later.',
  recovery_state_missing: 'The network is being set up; retry later.',
  recovery_quarantined:
    'The network is in recovery; reads and mutations are refused until it is done. Nothing was written.',
  domain_storage_unavailable: 'Nothing is known to be written; retry with the same intentId.',
  pilot_storage_unavailable: 'The read store cannot be reached; retry later.',
  pilot_limits_unavailable: 'The limits cannot be counted now; retry later.',
  trusted_address_unavailable:
    'The network cannot tell your address; its operators have to name their proxies.',
  restriction_witness_required: 'No witness is there for restrictions; retry later with the same intentId.',
  restriction_witness_unavailable_or_incomplete:
    'The witness cannot be reached or lacks restrictions; retry later with the same intentId.',
  ambiguous_acceptance_requires_independent_proof:
    'Whether the restriction was written, and holds for every reader, is not known yet; retry with the same intentId.',
  witness_finalize_unconfirmed: 'The witness has not confirmed yet; retry with the same intentId.',
};
