import { createHmac } from 'node:crypto';
import { errors } from 'oidc-provider';
import type { Client, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { allScopes, canonical, isScope } from '../../domain/grant/scopes.js';
import { identityClaims } from './claims.js';
import { routes } from './routes.js';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** Of a refresh token and all that replace it, counted from the first (network-api.md, "Limits"). */
const REFRESH_LIFETIME = 30 * DAY;

/** Lifetimes in seconds. A grant has none: it lasts until it is revoked. */
const ttl = {
  AccessToken: 5 * MINUTE,
  AuthorizationCode: MINUTE,
  IdToken: 5 * MINUTE,
  Interaction: 15 * MINUTE,
  Session: 14 * DAY,
  RefreshToken: (_ctx: unknown, { iiat }: { iiat?: number | undefined }) => {
    const now = Math.floor(Date.now() / 1000);
    return Math.max(1, (iiat ?? now) + REFRESH_LIFETIME - now);
  },
};

/** What the network allows of OAuth 2.0 and OpenID Connect, where that differs from the library's defaults. */
export function policy(pairwise: Buffer) {
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
    extraParams: { scope: exactScope },
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
    // Where Origin is sent it is the network's own (see mount.ts): no other site's pages may read an answer.
    clientBasedCORS: () => true,
  } satisfies Configuration;
}

/**
 * The scope that was asked for, or a refusal: dropping an unknown one would grant something else than what was asked
 * for (RFC 6749, section 3.3). The library also drops offline_access without `prompt=consent` (OpenID Connect Core
 * 1.0, section 11), where here consent is asked for each time; so it is put back.
 */
function exactScope(ctx: KoaContextWithOIDC, _value: unknown, client: Client): void {
  const asked = new URLSearchParams(ctx.querystring).get('scope') ?? '';
  const scopes = canonical(asked.split(' ').filter(Boolean));
  if (scopes.length === 0) throw new errors.InvalidScope('scope must name at least one scope', '');
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new errors.InvalidScope('unknown scope requested', unknown.join(' '));
  // The library asks this of every scope but offline_access.
  const registered = client.scope?.split(' ') ?? [];
  const beyond = scopes.filter((scope) => !registered.includes(scope));
  if (beyond.length > 0)
    throw new errors.InvalidScope('the application is not registered for it', beyond.join(' '));
  if (ctx.oidc.params) ctx.oidc.params['scope'] = scopes.join(' ');
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

/** Published members that the library does not emit by itself; what it emits beyond them is taken out in discovery.ts. */
function discovery() {
  const basic = ['client_secret_basic'];
  return {
    revocation_endpoint_auth_methods_supported: basic,
    introspection_endpoint_auth_methods_supported: basic,
    request_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent'],
  };
}
