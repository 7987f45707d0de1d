import { z } from 'zod';

/** Requests and answers of the authorization server (network-api.md, "Endpoints" and "Identity claims"). */

export const tokenRequest = z
  .discriminatedUnion('grant_type', [
    z
      .object({
        grant_type: z.literal('authorization_code'),
        code: z.string().min(1),
        redirect_uri: z.string().min(1).describe('Must equal the redirect_uri of the authorization request.'),
        code_verifier: z.string().min(1),
      })
      .meta({ id: 'CodeExchange' }),
    z
      .object({
        grant_type: z.literal('refresh_token'),
        refresh_token: z.string().min(1).describe('A refresh token works once; the answer has the next one.'),
      })
      .meta({ id: 'TokenRefresh' }),
  ])
  .meta({ id: 'TokenRequest' });

export const tokenResponse = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('Seconds.'),
    scope: z.string().describe('Separated by spaces.'),
    refresh_token: z.string().optional().describe('The refresh token; only with the scope offline_access.'),
    id_token: z.string().optional().describe('The ID token; only with the scope openid.'),
  })
  .meta({ id: 'Tokens' });

export const tokenInForm = z
  .object({ token: z.string().min(1), token_type_hint: z.string().optional() })
  .meta({ id: 'TokenInForm' });

export const introspection = z
  .strictObject({
    active: z.boolean().describe('True if the token is valid; if not, all other members are absent.'),
    client_id: z.string().optional(),
    exp: z.int().optional().describe('Unix seconds.'),
    iat: z.int().optional().describe('Unix seconds.'),
    iss: z.string().optional(),
    jti: z.string().optional(),
    scope: z.string().optional(),
    sub: z.string().optional().describe('Pairwise.'),
    token_type: z.string().optional(),
  })
  .meta({ id: 'Introspection' });

const text = z.string().optional();

export const identityClaims = z
  .strictObject({
    sub: z
      .string()
      .describe(
        'Pairwise subject: the identifier of the person for this application only. The canonical actor is at /api/session.',
      ),
    name: text,
    given_name: text,
    family_name: text,
    middle_name: text,
    nickname: text,
    preferred_username: text,
    profile: text,
    picture: text,
    website: text,
    gender: text,
    birthdate: text,
    zoneinfo: text,
    locale: text,
    email: text,
    email_verified: z.boolean().optional(),
    updated_at: z.int().optional().describe('Unix seconds.'),
  })
  .meta({ id: 'IdentityClaims' });

export const jwksResponse = z
  .strictObject({
    keys: z.array(
      z
        .looseObject({ kty: z.string(), kid: z.string(), use: z.literal('sig'), alg: z.literal('RS256') })
        .meta({ id: 'SigningKey' }),
    ),
  })
  .meta({ id: 'KeySet', description: 'Keys that sign ID tokens (RFC 7517).' });

const list = z.array(z.string()).optional();
const flag = z.boolean().optional();

export const metadata = z
  .strictObject({
    issuer: text,
    authorization_endpoint: text,
    token_endpoint: text,
    jwks_uri: text,
    userinfo_endpoint: text,
    revocation_endpoint: text,
    introspection_endpoint: text,
    registration_endpoint: text,
    end_session_endpoint: text,
    scopes_supported: list,
    response_types_supported: list,
    grant_types_supported: list,
    code_challenge_methods_supported: list,
    response_modes_supported: list,
    token_endpoint_auth_methods_supported: list,
    token_endpoint_auth_signing_alg_values_supported: list,
    revocation_endpoint_auth_methods_supported: list,
    revocation_endpoint_auth_signing_alg_values_supported: list,
    introspection_endpoint_auth_methods_supported: list,
    introspection_endpoint_auth_signing_alg_values_supported: list,
    subject_types_supported: list,
    id_token_signing_alg_values_supported: list,
    userinfo_signing_alg_values_supported: list,
    claims_supported: list,
    request_object_signing_alg_values_supported: list,
    claims_locales_supported: list,
    ui_locales_supported: list,
    dpop_signing_alg_values_supported: list,
    acr_values_supported: list,
    prompt_values_supported: list,
    claims_parameter_supported: flag,
    request_parameter_supported: flag,
    request_uri_parameter_supported: flag,
    require_request_uri_registration: flag,
    authorization_response_iss_parameter_supported: flag,
    tls_client_certificate_bound_access_tokens: flag,
    backchannel_logout_supported: flag,
    backchannel_logout_session_supported: flag,
  })
  .meta({ id: 'ServerMetadata', description: 'Metadata of the authorization server (RFC 8414).' });
