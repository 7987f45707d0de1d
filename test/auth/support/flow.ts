import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../../src/commands/register-application.js';
import { password, redirectUri } from './auth-network.js';
import type { AuthNetwork } from './auth-network.js';
import type { Browser, Page } from './browser.js';

/** An application as its makers would write it, with a client library that knows nothing of this network. */
export async function discover(network: AuthNetwork, { clientId, clientSecret }: ClientCredentials) {
  return oidc.discovery(new URL(network.issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    execute: [oidc.allowInsecureRequests],
  });
}

export interface Attempt {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Step 3 of the published flow: where the application sends the browser. */
export async function authorizationRequest(
  client: oidc.Configuration,
  scope: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Attempt> {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: 'consent',
    ...more,
  });
  return { url, verifier, state, nonce };
}

/** Leads a browser through sign-in, if it is asked for, and consent; answers the page that it ends at. */
export async function consent(
  browser: Browser,
  { url }: Attempt,
  handle: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<Page> {
  let page = await browser.get(url.href);
  if (page.text.includes('name="password"')) page = await browser.submit(page, { handle, password });
  return browser.submit(page, { decision });
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly subject: string;
  readonly code: string;
  readonly callback: URL;
  readonly attempt: Attempt;
}

/** The whole published flow, steps 1 to 4. */
export async function connect(
  client: oidc.Configuration,
  browser: Browser,
  handle: string,
  scope = 'openid offline_access read post:create',
): Promise<Tokens> {
  const attempt = await authorizationRequest(client, scope);
  const page = await consent(browser, attempt, handle);
  const callback = new URL(page.url);
  const tokens = await exchange(client, callback, attempt);
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
    subject: tokens.claims()?.sub ?? '',
    code: callback.searchParams.get('code') ?? '',
    callback,
    attempt,
  };
}

export function exchange(client: oidc.Configuration, callback: URL, { verifier, state, nonce }: Attempt) {
  return oidc.authorizationCodeGrant(client, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });
}
