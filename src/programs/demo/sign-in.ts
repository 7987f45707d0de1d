import * as oauth from 'openid-client';
import { Browser } from './browser.js';

export interface SignIn {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly handle: string;
  readonly password: string;
  readonly scope: string;
  readonly say?: (step: string) => void;
}

/** The authorization code flow with PKCE, as any confidential client does it (network-api.md, "Authentication"). */
export async function signIn(
  baseUrl: string,
  { clientId, clientSecret, redirectUri, handle, password, scope, say = () => undefined }: SignIn,
): Promise<oauth.TokenEndpointResponse> {
  say(`discover the issuer ${baseUrl}/api/auth`);
  const client = await oauth.discovery(
    new URL(`${baseUrl}/api/auth`),
    clientId,
    undefined,
    oauth.ClientSecretBasic(clientSecret),
    // A local network has no TLS.
    baseUrl.startsWith('http:') ? { execute: [oauth.allowInsecureRequests] } : undefined,
  );
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [oauth.randomState(), oauth.randomNonce()];
  const authorizationUrl = oauth.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    prompt: 'consent',
  });
  say(`sign in as ${handle} and allow the application, in a browser without scripts`);
  const callback = await new Browser(baseUrl).authorize(authorizationUrl, { handle, password });
  say('exchange the code for an access token');
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  return oauth.authorizationCodeGrant(client, callback, checks);
}
