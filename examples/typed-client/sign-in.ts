import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as oidc from 'openid-client';

export interface Application {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A registered address at `http://localhost`. */
  readonly redirectUri: string;
}

/** Signs one person in: reports the address to open, waits for the callback, and returns the access token. */
export async function signIn(
  { baseUrl, clientId, clientSecret, redirectUri }: Application,
  scopes: readonly string[],
  show: (address: string) => void,
): Promise<string> {
  const execute = [oidc.enableNonRepudiationChecks];
  // Plain http is for a network on one's own machine.
  if (baseUrl.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
  const basic = oidc.ClientSecretBasic(clientSecret);
  const client = await oidc.discovery(new URL(`${baseUrl}/api/auth`), clientId, undefined, basic, {
    execute,
  });
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const callback = callbackAt(redirectUri);
  show(
    oidc.buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      prompt: 'consent',
    }).href,
  );
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  const { access_token } = await oidc.authorizationCodeGrant(client, await callback, checks);
  return access_token;
}

/** Resolves with the callback's address. */
async function callbackAt(redirectUri: string): Promise<URL> {
  const { port, pathname } = new URL(redirectUri);
  const server = createServer().listen(Number(port), 'localhost');
  try {
    for (;;) {
      const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
      const url = new URL(request.url ?? '/', redirectUri);
      response.setHeader('content-type', 'text/plain').end('Go back to the terminal.');
      if (url.pathname === pathname) return url;
    }
  } finally {
    server.close();
  }
}
