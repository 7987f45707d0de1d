import type { z } from 'zod';
import { limits } from '../../../base/config/limit-settings.js';
import type { ErrorCode } from '../../../server/errors.js';
import type { OAuthCode } from '../../../server/oauth-codes.js';
import { clientLimits, tokenLimits, userinfoLimits } from './limit-texts.js';
import {
  identityClaims,
  introspection,
  jwksResponse,
  metadata,
  tokenInForm,
  tokenRequest,
  tokenResponse,
} from './protocol-resources.js';

/**
 * An endpoint of the authorization server in the OpenAPI document. Its library has no decorators, so everything is
 * declared here. No `security`: no credential. No `answers`: an empty 200.
 */
export interface DocumentedProtocolEndpoint {
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: Readonly<Record<string, readonly string[]>>;
  readonly form?: { readonly schema: z.ZodType; readonly example: unknown };
  readonly answers?: { readonly schema: z.ZodType; readonly example: unknown; readonly type?: string };
  /** True: every answer that was counted has the rate-limit headers, not only a 429. */
  readonly hasBudget?: boolean;
  /** Text of the 429: the limits of the endpoint. */
  readonly limits?: string;
  readonly refusals: Readonly<Record<number, Readonly<Partial<Record<OAuthCode | ErrorCode, string>>>>>;
}

const everywhere = {
  400: { invalid_request: 'The request is malformed.' },
  403: { origin_mismatch: 'Address requests to the network.' },
  405: { invalid_request: 'Use a method that Allow names.' },
  500: { server_error: 'The server failed.' },
} as const;

const withCredentials = {
  ...everywhere,
  403: { origin_mismatch: "Address requests to the network, and omit Origin or send the network's own." },
  503: { temporarily_unavailable: 'Please try again in a few seconds.' },
} as const;

const refusedTooOften = {
  429: {
    pilot_rate_limited: 'Too many credentials from this address were refused; wait Retry-After seconds.',
  },
} as const;

const uncounted = {
  pilot_limits_unavailable: 'Limits cannot be checked; please try again in a few seconds.',
};

const ofApplications = {
  ...withCredentials,
  ...refusedTooOften,
  401: { invalid_client: 'Authenticate as the application, with HTTP Basic only.' },
  413: { invalid_request: `Send at most ${limits.bodies.bytes / 1024} KiB.` },
  415: { invalid_request: 'Send the form as application/x-www-form-urlencoded in UTF-8.' },
} as const;

const client = { client: [] } as const;

const discovery = (id: string, path: string, summary: string): DocumentedProtocolEndpoint => ({
  id,
  method: 'get',
  path,
  summary,
  answers: {
    schema: metadata,
    example: {
      issuer: 'https://network.example/api/auth',
      authorization_endpoint: 'https://network.example/api/auth/oauth2/authorize',
      token_endpoint: 'https://network.example/api/auth/oauth2/token',
      code_challenge_methods_supported: ['S256'],
    },
  },
  refusals: everywhere,
});

/**
 * The endpoints of the authorization server that the OpenAPI document has (docs/api-decisions.md, "Authorization server
 * paths"): all but those that redirect browsers.
 */
export const documentedProtocolEndpoints: readonly DocumentedProtocolEndpoint[] = [
  discovery('discoverOpenId', '/api/auth/.well-known/openid-configuration', 'Discover the OpenID provider'),
  discovery(
    'discoverOAuth',
    '/api/auth/.well-known/oauth-authorization-server',
    'Discover the authorization server',
  ),
  discovery(
    'discoverOAuthByIssuer',
    '/.well-known/oauth-authorization-server/api/auth',
    'Discover the authorization server by its issuer',
  ),
  {
    id: 'getKeys',
    method: 'get',
    path: '/api/auth/jwks',
    summary: 'Read the keys that sign ID tokens',
    answers: {
      type: 'application/jwk-set+json',
      schema: jwksResponse,
      example: { keys: [{ kty: 'RSA', kid: 'k1', use: 'sig', alg: 'RS256', e: 'AQAB', n: 'q1w2' }] },
    },
    refusals: everywhere,
  },
  {
    id: 'exchangeToken',
    method: 'post',
    path: '/api/auth/oauth2/token',
    summary: 'Exchange a code or a refresh token',
    description:
      'A code works once, and so does a refresh token. If the outcome of a refresh is in doubt, sign in again.',
    security: client,
    form: {
      schema: tokenRequest,
      example: {
        grant_type: 'authorization_code',
        code: 'c0de',
        redirect_uri: 'https://pebble.example/callback',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    },
    answers: {
      schema: tokenResponse,
      example: {
        access_token: '4cc3ss',
        token_type: 'Bearer',
        expires_in: 300,
        scope: 'openid read post:create',
        id_token: 'e30.e30.c2ln',
      },
    },
    hasBudget: true,
    limits: tokenLimits,
    refusals: {
      ...ofApplications,
      503: { ...withCredentials[503], ...uncounted },
      429: {
        pilot_rate_limited:
          'Too many credentials from this address were refused, or this grant was refreshed too often; wait Retry-After seconds.',
      },
      400: {
        ...everywhere[400],
        invalid_grant:
          'The code or token is spent, expired, revoked or of another application; sign in again.',
        invalid_scope: 'A refresh keeps its exact scope; omit scope.',
        invalid_target: 'The only resource is the network itself.',
        unsupported_grant_type: 'Supported are authorization_code and refresh_token.',
      },
    },
  },
  {
    id: 'introspectToken',
    method: 'post',
    path: '/api/auth/oauth2/introspect',
    summary: 'Introspect a token',
    security: client,
    form: { schema: tokenInForm, example: { token: '4cc3ss' } },
    answers: { schema: introspection, example: { active: false } },
    limits: clientLimits,
    refusals: ofApplications,
  },
  {
    id: 'revokeToken',
    method: 'post',
    path: '/api/auth/oauth2/revoke',
    summary: 'End the grant of a token',
    security: client,
    form: { schema: tokenInForm, example: { token: 'r3fr3sh' } },
    limits: clientLimits,
    refusals: {
      ...ofApplications,
      400: { ...everywhere[400], unsupported_token_type: 'An ID token cannot be revoked.' },
    },
  },
  {
    id: 'getUserinfo',
    method: 'get',
    path: '/api/auth/oauth2/userinfo',
    summary: 'Read identity claims',
    description: 'The subject is pairwise; for the canonical actor call GET /api/session.',
    security: { network: ['openid'] },
    answers: {
      schema: identityClaims,
      example: { sub: 'Yw3p', name: 'Ada', preferred_username: 'ada', updated_at: 1_763_600_000 },
    },
    hasBudget: true,
    limits: userinfoLimits,
    refusals: {
      ...withCredentials,
      503: { ...withCredentials[503], ...uncounted },
      429: {
        pilot_rate_limited:
          'Too many credentials from this address were refused, or the reads of this caller are used up; wait Retry-After seconds.',
      },
      401: {
        authentication_required: 'Send an access token: Authorization: Bearer <token>.',
        invalid_token: 'The access token is unknown, expired or revoked; refresh it or sign in.',
      },
      403: {
        ...withCredentials[403],
        capability_required: 'The grant lacks the scope openid.',
        social_authority_required: 'The account or the application is suspended.',
      },
    },
  },
];
