import { createHmac } from 'node:crypto';
import { errors } from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { tokenLifetimes } from '../../../domain/grant/lifetimes.js';
import { allScopes, canonicalScopes } from '../../../domain/grant/scopes.js';
import { identityClaims } from './claims.js';
import { extraParamChecks } from './extra-params.js';
import { routes } from './routes.js';

export const SESSION_LIFETIME_SECONDS = 14 * 24 * 60 * 60;

/**
 * Lifetimes in seconds; that of a session counts from its last use. A grant does not expire; it is usable as long as
 * its tokens are.
 */
const ttl = {
  AccessToken: tokenLifetimes.accessToken,
  AuthorizationCode: tokenLifetimes.code,
  IdToken: tokenLifetimes.accessToken,
  Interaction: tokenLifetimes.interaction,
  Session: SESSION_LIFETIME_SECONDS,
  RefreshToken: (_ctx: unknown, { iiat }: { iiat?: number | undefined }) => {
    const now = Math.floor(Date.now() / 1000);
    return Math.max(1, (iiat ?? now) + tokenLifetimes.refreshToken - now);
  },
};

export function protocolConfiguration(baseUrl: string, pairwise: Buffer) {
  return {
    routes,
    ttl,
    clockTolerance: 0,
    scopes: [...allScopes],
    claims: { openid: identityClaims },
    subjectTypes: ['pairwise'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    extraParams: extraParamChecks(baseUrl),
    discovery: discovery(),
    expiresWithSession: () => false,
    revokeGrantPolicy: (ctx) => ctx.oidc.route === 'revocation' || ctx.oidc.route === 'token',
    loadExistingGrant: consentedGrant,
    rotateRefreshToken: rotate,
    sectorIdentifierUriValidate: () => false,
    pairwiseIdentifier: (_ctx, actorId, client) =>
      createHmac('sha256', pairwise)
        .update(JSON.stringify([client.clientId, actorId]))
        .digest('base64url'),
    // validate-request.ts has already refused any other Origin.
    clientBasedCORS: () => true,
  } satisfies Configuration;
}

/**
 * Returns only the grant of the current consent: no grant is widened, and none is used again without consent.
 * @throws {errors.InvalidRedirectUri} the address was removed since the request was checked: it gets no code.
 */
async function consentedGrant({ oidc }: KoaContextWithOIDC) {
  const grantId = oidc.result?.consent?.grantId;
  if (grantId === undefined) return undefined;
  if (!oidc.client?.redirectUriAllowed(String(oidc.params?.['redirect_uri'])))
    throw new errors.InvalidRedirectUri();
  return oidc.provider.Grant.find(grantId);
}

/**
 * Rotates the refresh token at each use (RFC 9700, section 4.14.2).
 * @throws {errors.InvalidScope} the request names another scope than the granted one.
 */
function rotate(ctx: KoaContextWithOIDC): boolean {
  const requested = ctx.oidc.params?.['scope'];
  const granted = ctx.oidc.entities.RefreshToken?.scope;
  if (typeof requested === 'string' && canonicalScopes(requested.split(' ')).join(' ') !== granted)
    throw new errors.InvalidScope('a refreshed grant keeps its exact scope', requested);
  return true;
}

function discovery() {
  const basic = ['client_secret_basic'];
  return {
    revocation_endpoint_auth_methods_supported: basic,
    introspection_endpoint_auth_methods_supported: basic,
    request_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent'],
  };
}
