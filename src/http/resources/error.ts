import { z } from 'zod';
import { refusalCodes } from '../../domain/refusal.js';

/** network-api.md, "OAuth protocol codes". */
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

/** network-api.md, "Error body". */
export const errorBody = z
  .strictObject({
    error: z.enum([...refusalCodes, ...oauthCodes]),
    message: z.string().optional().describe('What to do next, for a person. Not stable.'),
    error_description: z.string().optional().describe("The same where OAuth's clients read it. Not stable."),
    error_uri: z.url().optional(),
  })
  .meta({ id: 'Error', description: 'Why a request was refused. Only `error` is a stable identifier.' });
