import { canonicalScopes, isScope } from '../grant/scopes.js';
import { staleLifecycle } from '../lifecycle.js';
import type { LifecycleState, ExpectedLifecycle } from '../lifecycle.js';
import { normalizedName } from '../name.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type {
  ApplicationRegistered,
  ApplicationReinstated,
  ApplicationSecretRotated,
  ApplicationSuspended,
} from './events.js';
import { resemblesNetworkName } from './network-name.js';

export type ApplicationEvent =
  | ApplicationRegistered
  | ApplicationSuspended
  | ApplicationReinstated
  | ApplicationSecretRotated;

export interface Application extends LifecycleState {
  readonly status: 'none' | 'active' | 'suspended';
  /**
   * A restored log may lack the registration and still hold the suspension, which applies as soon as the registration
   * exists again.
   */
  readonly isSuspended?: boolean;
}

export const noApplication: Application = { status: 'none', lifecycle: 0 };

export function evolveApplication(application: Application, event: ApplicationEvent): Application {
  const lifecycle = application.lifecycle + 1;
  const isKnown = application.status !== 'none';
  switch (event.type) {
    case 'application.registered':
      return { status: application.isSuspended === true ? 'suspended' : 'active', lifecycle };
    case 'application.suspended':
      return isKnown ? { status: 'suspended', lifecycle } : { status: 'none', lifecycle, isSuspended: true };
    case 'application.reinstated':
      return isKnown ? { status: 'active', lifecycle } : { status: 'none', lifecycle };
    case 'application.secret_rotated':
      return application;
  }
}

export interface ApplicationDetails {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly scopes: readonly string[];
}

export interface ApplicationDraft extends ApplicationDetails {
  readonly appId: string;
  readonly at: number;
}

const REDIRECT_URIS_MAX = 20;

export function registerApplication(
  application: Application,
  draft: ApplicationDraft,
): Decision<ApplicationRegistered> {
  if (application.status !== 'none')
    return new Refusal('intent_conflict', 'The application is already registered.');
  const { appId, at } = draft;
  const details = acceptedDetails(draft);
  if (details instanceof Refusal) return details;
  return [{ type: 'application.registered', data: { appId, ...details, at } }];
}

/**
 * Returns them in their normal form, each address and scope once.
 * @param registered addresses of before: an earlier release accepted a wildcard in a path.
 */
export function acceptedDetails(
  draft: ApplicationDetails,
  registered: readonly string[] = [],
): ApplicationDetails | Refusal {
  const name = normalizedName(draft.name, 'The name');
  if (name instanceof Refusal) return name;
  if (resemblesNetworkName(name))
    return new Refusal('invalid_text', 'The name must not look like the name of the network.');
  const redirectUris = [...new Set(draft.redirectUris)];
  const postLogoutRedirectUris = [...new Set(draft.postLogoutRedirectUris)];
  if (redirectUris.length === 0) return new Refusal('invalid_text', 'Name at least one redirect URI.');
  const fault = faultIn(redirectUris) ?? faultIn(postLogoutRedirectUris);
  if (fault) return fault;
  if (
    [...redirectUris, ...postLogoutRedirectUris].some((uri) => uri.includes('*') && !registered.includes(uri))
  )
    return badRedirectUri();
  const unknown = draft.scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0) return new Refusal('invalid_text', `There is no scope ${unknown.join(', ')}.`);
  if (draft.scopes.length === 0) return new Refusal('invalid_text', 'Name at least one scope.');
  return { name, redirectUris, postLogoutRedirectUris, scopes: canonicalScopes(draft.scopes) };
}

export interface ApplicationChange {
  readonly appId: string;
  readonly at: number;
}

export function suspendApplication(
  application: Application,
  { appId, at, ...expected }: ApplicationChange & ExpectedLifecycle,
): Decision<ApplicationSuspended> {
  if (application.status === 'none') return unknownApplication();
  const stale = staleLifecycle(application, expected);
  if (stale) return stale;
  return application.status === 'suspended' ? [] : [{ type: 'application.suspended', data: { appId, at } }];
}

export function reinstateApplication(
  application: Application,
  { appId, at, ...expected }: ApplicationChange & ExpectedLifecycle,
): Decision<ApplicationReinstated> {
  if (application.status === 'none') return unknownApplication();
  const stale = staleLifecycle(application, expected);
  if (stale) return stale;
  return application.status === 'active' ? [] : [{ type: 'application.reinstated', data: { appId, at } }];
}

export function rotateSecret(
  application: Application,
  { appId, at, overlapMs }: ApplicationChange & { readonly overlapMs: number },
): Decision<ApplicationSecretRotated> {
  if (application.status === 'none') return unknownApplication();
  return [{ type: 'application.secret_rotated', data: { appId, previousUntil: at + overlapMs, at } }];
}

export function unknownApplication(): Refusal {
  return new Refusal('not_found', 'There is no such application.');
}

const badRedirectUri = () =>
  new Refusal(
    'invalid_text',
    'A redirect URI must be absolute, without a fragment or a wildcard, and https (http on a loopback address).',
  );

function faultIn(uris: readonly string[]): Refusal | undefined {
  if (uris.length > REDIRECT_URIS_MAX)
    return new Refusal('invalid_text', `Name at most ${REDIRECT_URIS_MAX} redirect URIs.`);
  if (!uris.every(isRedirectUri)) return badRedirectUri();
  if (uris.some(isAtBareAddress))
    return new Refusal(
      'invalid_text',
      'A redirect URI must name its host (or be at 127.0.0.1): browsers send forms to no other IP address.',
    );
  return undefined;
}

/**
 * True for an absolute https URI without a fragment (RFC 6749, section 3.1.2), or http on a loopback address, which
 * never leaves the machine (RFC 8252, section 7.3).
 */
function isRedirectUri(uri: string): boolean {
  if (!uriCharacters.test(uri) || !URL.canParse(uri) || uri.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username || password || hostname.includes('*')) return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname));
}

/** RFC 3986, section 2: `URL` silently repairs other characters (such as U+0000), but the log would keep them. */
const uriCharacters = /^[!-~]+$/;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * True for a URI at an IP address other than 127.0.0.1. The pages name the hosts of redirect URIs in `form-action`,
 * which matches no other IP address (Content Security Policy 3, "host-part matches").
 */
function isAtBareAddress(uri: string): boolean {
  const { hostname } = new URL(uri);
  return hostname !== '127.0.0.1' && /^(\[.*\]|\d+(\.\d+){3})$/.test(hostname);
}
