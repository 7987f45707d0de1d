import { createHmac } from 'node:crypto';
import { errors } from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { lifetimes } from '../../domain/grant/lifetimes.js';
import { allScopes, canonical } from '../../domain/grant/scopes.js';
import { identityClaims } from './claims.js';
import { extraParams } from './extra-params.js';
import { routes } from './routes.js';

/** Of a session that somebody is signed in with, counted from its last use: seconds. */
export const SESSION_LIFETIME = 14 * 24 * 60 * 60;

/** Lifetimes in seconds. A grant has none: it is there until it is revoked, and can be used as long as what it led to. */
const ttl = {
  AccessToken: lifetimes.accessToken,
  AuthorizationCode: lifetimes.code,
  IdToken: lifetimes.accessToken,
  Interaction: lifetimes.interaction,
  Session: SESSION_LIFETIME,
  RefreshToken: (_ctx: unknown, { iiat }: { iiat?: number | undefined }) => {
    const now = Math.floor(Date.now() / 1000);
    return Math.max(1, (iiat ?? now) + lifetimes.refreshToken - now);
  },
};

/** What the network allows of OAuth 2.0 and OpenID Connect, where that differs from the library's defaults. */
export function policy(baseUrl: string, pairwise: Buffer) {
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
        // About another application's token there is nothing to learn (RFC 7662, section 4).
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        // Another application's token is none of its business: nothing happens, and nothing is learnt.
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    extraParams: extraParams(baseUrl),
    discovery: discovery(),
    // Who signs out of the network keeps the applications connected; ending a grant is an act of its own.
    expiresWithSession: () => false,
    // A token that is given back ends its whole grant: what an application can no longer be trusted with, it loses.
    revokeGrantPolicy: (ctx) => ctx.oidc.route === 'revocation' || ctx.oidc.route === 'token',
    loadExistingGrant: consentedGrant,
    rotateRefreshToken: rotate,
    sectorIdentifierUriValidate: () => false,
    pairwiseIdentifier: (_ctx, actorId, client) =>
      createHmac('sha256', pairwise)
        .update(JSON.stringify([client.clientId, actorId]))
        .digest('base64url'),
    // Where Origin is sent it is the network's own: see refuse.ts.
    clientBasedCORS: () => true,
  } satisfies Configuration;
}

/** Only what was consented to just now: a grant is never widened, and none is used again without asking. */
async function consentedGrant(ctx: KoaContextWithOIDC) {
  const grantId = ctx.oidc.result?.consent?.grantId;
  return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
}

/** Always (RFC 9700, section 4.14.2), and only for the scope that was granted. */
function rotate(ctx: KoaContextWithOIDC): boolean {
  const asked = ctx.oidc.params?.['scope'];
  const granted = ctx.oidc.entities.RefreshToken?.scope;
  if (typeof asked === 'string' && canonical(asked.split(' ')).join(' ') !== granted)
    throw new errors.InvalidScope('a refreshed grant keeps its exact scope', asked);
  return true;
}

/** Published members that the library does not emit by itself; what it emits otherwise is put right in discovery.ts. */
function discovery() {
  const basic = ['client_secret_basic'];
  return {
    revocation_endpoint_auth_methods_supported: basic,
    introspection_endpoint_auth_methods_supported: basic,
    request_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent'],
  };
}
