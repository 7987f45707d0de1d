/** Published error codes of the authorization server (network-api.md, "OAuth protocol codes"). */
export const oauthCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
  'unsupported_response_type',
  'access_denied',
  'temporarily_unavailable',
  'server_error',
  'invalid_token',
  'unsupported_token_type',
  'invalid_target',
  'invalid_signature',
  'invalid_redirect_uri',
  'invalid_request_uri',
  'request_not_supported',
  'request_uri_not_supported',
  'login_required',
  'interaction_required',
  'account_selection_required',
  'consent_required',
] as const;

export type OAuthCode = (typeof oauthCodes)[number];
