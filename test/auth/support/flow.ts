import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../../src/commands/application/applications.js';
import type { Browser } from '../../../src/programs/demo/browser.js';
import { password, redirectUri } from './auth-network.js';
import type { AuthNetwork } from './auth-network.js';

/** An application with an unmodified OAuth client library. */
export function discover(
  network: Pick<AuthNetwork, 'issuer'>,
  { clientId, clientSecret }: ClientCredentials,
) {
  const authentication = oidc.ClientSecretBasic(clientSecret);
  const options = { execute: [oidc.allowInsecureRequests] };
  return oidc.discovery(new URL(network.issuer), clientId, undefined, authentication, options);
}

/** The state that an application keeps during an authorization request. */
export interface Attempt {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Step 3 of the published flow: the authorization request. An empty parameter is left out. */
export async function authorizationRequest(
  client: oidc.Configuration,
  scope: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Attempt> {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const parameters = {
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: 'consent',
    ...changes,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return { url: oidc.buildAuthorizationUrl(client, new URLSearchParams(given)), verifier, state, nonce };
}

export interface Connected {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  readonly subject: string;
  readonly scope: string;
  readonly callback: URL;
  readonly attempt: Attempt;
}

/** The whole published flow, steps 1 to 4. */
export async function connect(
  client: oidc.Configuration,
  browser: Browser,
  handle: string,
  scope = 'openid offline_access read post:create',
): Promise<Connected> {
  const attempt = await authorizationRequest(client, scope);
  const callback = await browser.authorize(attempt.url, { handle, password });
  const tokens = await exchange(client, callback, attempt);
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
    idToken: tokens.id_token ?? '',
    subject: tokens.claims()?.sub ?? '',
    scope: tokens.scope ?? '',
    callback,
    attempt,
  };
}

export function exchange(
  client: oidc.Configuration,
  callback: URL,
  { url, verifier, state, nonce }: Attempt,
): ReturnType<typeof oidc.authorizationCodeGrant> {
  const identified = url.searchParams.get('scope')?.split(' ').includes('openid');
  return oidc.authorizationCodeGrant(client, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    ...(identified ? { expectedNonce: nonce } : {}),
  });
}

/** The OAuth error of a call of the client library; undefined: none. */
export async function errorOf(
  call: Promise<unknown>,
): Promise<{ status: number; error: string } | undefined> {
  try {
    await call;
    return undefined;
  } catch (failure) {
    if (failure instanceof oidc.ResponseBodyError || failure instanceof oidc.AuthorizationResponseError)
      return { status: failure instanceof oidc.ResponseBodyError ? failure.status : 0, error: failure.error };
    if (failure instanceof oidc.WWWAuthenticateChallengeError)
      return { status: failure.status, error: failure.cause[0]?.parameters['error'] ?? '' };
    // The client library does not parse 5xx answers.
    if (failure instanceof oidc.ClientError && failure.cause instanceof Response)
      return { status: failure.cause.status, ...((await failure.cause.json()) as { error: string }) };
    throw failure;
  }
}

/** Tells by introspection whether the access token is active. */
export async function isLive(client: oidc.Configuration, accessToken: string): Promise<boolean> {
  return (await oidc.tokenIntrospection(client, accessToken)).active;
}
