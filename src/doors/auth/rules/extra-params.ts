import { errors } from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { canonicalScopes, isScope } from '../../../domain/grant/scopes.js';
import { isOwnResource } from './resource.js';

type Check = (ctx: KoaContextWithOIDC, value: unknown, client: Client) => void;

export function extraParamChecks(baseUrl: string): Readonly<Record<string, Check>> {
  return { scope: exactScope, state: requireState, nonce: requireNonce, resource: ownResource(baseUrl) };
}

/**
 * Refuses unknown scopes instead of dropping them, so that a grant never differs from its request (RFC 6749, section
 * 3.3). Restores `offline_access`, which the library drops without `prompt=consent` (OpenID Connect Core 1.0, section
 * 11): this network asks for consent each time.
 */
function exactScope(ctx: KoaContextWithOIDC, _value: unknown, client: Client): void {
  const requested = new URLSearchParams(ctx.querystring).get('scope') ?? '';
  const scopes = canonicalScopes(requested.split(' ').filter(Boolean));
  if (scopes.length === 0) throw new errors.InvalidScope('scope must name at least one scope', '');
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new errors.InvalidScope('unknown scope requested', unknown.join(' '));
  const registered = client.scope?.split(' ') ?? [];
  const unregistered = scopes.filter((scope) => !registered.includes(scope));
  if (unregistered.length > 0)
    throw new errors.InvalidScope('the application is not registered for this scope', unregistered.join(' '));
  if (ctx.oidc.params) ctx.oidc.params['scope'] = scopes.join(' ');
}

/**
 * Requires `state`, by which an application recognizes its own callback (network-api.md, "Authorization code flow",
 * step 3).
 */
function requireState(_ctx: KoaContextWithOIDC, value: unknown): void {
  if (value === undefined) throw new errors.InvalidRequest('state is missing');
  requireShort('state', value, STATE_MAX);
}

function requireNonce(ctx: KoaContextWithOIDC, value: unknown): void {
  if (value === undefined && ctx.oidc.requestParamScopes.has('openid'))
    throw new errors.InvalidRequest('nonce is missing');
  requireShort('nonce', value, NONCE_MAX);
}

/**
 * Characters of the longest `state`; `nonce` has a limit of its own. Both are stored until the person answers.
 * Libraries send 43, or several hundred if they encrypt their own session into `state`.
 */
const STATE_MAX = 1_024;
const NONCE_MAX = 256;

function requireShort(name: string, value: unknown, max: number): void {
  if (typeof value === 'string' && value.length > max)
    throw new errors.InvalidRequest(`${name} has more than ${max} characters`);
}

function ownResource(baseUrl: string): Check {
  return (_ctx, value) => {
    if (typeof value === 'string' && !isOwnResource(value, baseUrl))
      throw new errors.InvalidTarget(`the only resource is ${baseUrl}`);
  };
}
