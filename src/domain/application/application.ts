import { canonical, isScope } from '../grant/scopes.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { ApplicationRegistered } from './events.js';

export type Application =
  | { readonly status: 'none' }
  | { readonly status: 'registered'; readonly appId: string; readonly scopes: readonly string[] };

export const noApplication: Application = { status: 'none' };

export function evolveApplication(_application: Application, event: ApplicationRegistered): Application {
  const { appId, scopes } = event.data;
  return { status: 'registered', appId, scopes };
}

export interface ApplicationDraft {
  readonly appId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly at: number;
}

const REDIRECT_URIS_MAX = 20;
/** No control characters and nothing that could reorder the consent page's text around the name. */
const namePattern = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,64}$/u;

export function registerApplication(
  application: Application,
  draft: ApplicationDraft,
): Decision<ApplicationRegistered> {
  if (application.status !== 'none')
    return new Refusal('intent_conflict', 'The application is already registered.');
  const { appId, at } = draft;
  const name = draft.name.normalize('NFC').trim();
  if (!namePattern.test(name))
    return new Refusal('invalid_text', 'The name must be one line of 1 to 64 characters.');
  const redirectUris = [...new Set(draft.redirectUris)];
  if (redirectUris.length === 0 || redirectUris.length > REDIRECT_URIS_MAX)
    return new Refusal('invalid_text', `Name 1 to ${REDIRECT_URIS_MAX} redirect URIs.`);
  if (!redirectUris.every(isRedirectUri))
    return new Refusal(
      'invalid_text',
      'A redirect URI must be absolute, without a fragment, and https (http on a loopback address).',
    );
  if (redirectUris.some(isAtBareAddress))
    return new Refusal(
      'invalid_text',
      'A redirect URI must name its host (or be at 127.0.0.1): browsers send forms to no other IP address.',
    );
  if (draft.scopes.length === 0 || !draft.scopes.every(isScope))
    return new Refusal('invalid_text', 'Name at least one scope, and only scopes that there are.');
  const scopes = canonical(draft.scopes);
  return [{ type: 'application.registered', data: { appId, name, redirectUris, scopes, at } }];
}

/** RFC 6749 3.1.2 and RFC 8252 7.3: plain http never leaves the machine. */
function isRedirectUri(uri: string): boolean {
  if (!uriCharacters.test(uri) || !URL.canParse(uri) || uri.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname));
}

/** RFC 3986, section 2: what else there is (U+0000, say) `URL` mends in silence, where the log would keep it. */
const uriCharacters = /^[!-~]+$/;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The pages' form-action must name the host (Content Security Policy 3, "host-part matches"), and can name no other address. */
function isAtBareAddress(uri: string): boolean {
  const { hostname } = new URL(uri);
  return hostname !== '127.0.0.1' && /^(\[.*\]|\d+(\.\d+){3})$/.test(hostname);
}
