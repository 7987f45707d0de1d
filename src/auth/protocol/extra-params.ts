import { errors } from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { canonical, isScope } from '../../domain/grant/scopes.js';
import { isOwnResource } from './resource.js';

type Check = (ctx: KoaContextWithOIDC, value: unknown, client: Client) => void;

/** What the network asks of an authorization request beyond the library, by parameter. */
export function extraParams(baseUrl: string): Readonly<Record<string, Check>> {
  return { scope: exactScope, state: givenState, nonce: givenNonce, resource: ownResource(baseUrl) };
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

/** network-api.md, "Authorization code flow", step 3: without it the application cannot know its own callback. */
function givenState(_ctx: KoaContextWithOIDC, value: unknown): void {
  if (value === undefined) throw new errors.InvalidRequest('state is missing');
  requireShort('state', value, STATE_MAX);
}

/** The same step: it binds the ID token, so it is asked for where there will be one. */
function givenNonce(ctx: KoaContextWithOIDC, value: unknown): void {
  if (value === undefined && ctx.oidc.requestParamScopes.has('openid'))
    throw new errors.InvalidRequest('nonce is missing');
  requireShort('nonce', value, NONCE_MAX);
}

/**
 * Characters. Both are kept until the person has answered. Libraries send 43, and several hundred where they encrypt into
 * `state` what they have to remember themselves.
 */
const STATE_MAX = 1_024;
const NONCE_MAX = 256;

function requireShort(name: string, value: unknown, most: number): void {
  if (typeof value === 'string' && value.length > most)
    throw new errors.InvalidRequest(`${name} has more than ${most} characters`);
}

/** RFC 8707, section 2. */
function ownResource(baseUrl: string): Check {
  return (_ctx, value) => {
    if (typeof value === 'string' && !isOwnResource(value, baseUrl))
      throw new errors.InvalidTarget(`the only resource is ${baseUrl}`);
  };
}
