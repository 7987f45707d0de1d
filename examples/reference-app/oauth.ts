/** The application as an OAuth client: the code flow with PKCE, refresh and revocation. */
import * as oidc from 'openid-client';
import { Fault, retryAfterOf } from './fault.ts';
import { quit, SCOPE, settings } from './settings.ts';
import { keep, take } from './store.ts';

const { baseUrl, clientId, clientSecret, origin } = settings;
const LOGIN_MS = 15 * 60_000;
// The library checks signatures of ID tokens only on request. Plain http is for a network on one's own machine.
const execute = [oidc.enableNonRepudiationChecks];
if (baseUrl.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
const [issuer, basic] = [new URL(`${baseUrl}/api/auth`), oidc.ClientSecretBasic(clientSecret)];
const client = await oidc
  .discovery(issuer, clientId, undefined, basic, { execute, timeout: 10 })
  .catch((error: Error) => quit(`BASE_URL ${baseUrl}: ${error.message}`));

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** `returnTo`: a path of this application. */
type Login = Readonly<Record<'verifier' | 'nonce' | 'returnTo', string>>;

/** Begins a sign-in of the browser with this secret, and returns the address at the network. A second tab may begin another. */
export async function beginLogin(browser: string, returnTo: string): Promise<string> {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  keep('login', state, browser, { verifier, nonce, returnTo } satisfies Login, LOGIN_MS);
  return oidc.buildAuthorizationUrl(client, {
    redirect_uri: `${origin}/callback`,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: 'consent',
  }).href;
}

/** Exchanges the code of a callback. Its sign-in is deleted first: it has one callback, whatever comes of that. */
export async function completeLogin(
  browser: string,
  url: URL,
): Promise<{ tokens: Tokens; returnTo: string }> {
  const state = url.searchParams.get('state') ?? '';
  const login = take('login', state, browser) as Login | undefined;
  if (!login) throw new Fault(400, 'login_unknown');
  const { verifier, nonce, returnTo } = login;
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  const tokens = await oidc.authorizationCodeGrant(client, url, checks).catch((cause: unknown) => {
    const isDenied = cause instanceof oidc.AuthorizationResponseError && cause.error === 'access_denied';
    throw new Fault(400, isDenied ? 'login_denied' : 'login_failed', { cause });
  });
  return { tokens: tokensOf(tokens), returnTo };
}

/**
 * @throws {Fault} 429 or 503: the network refused before it used the token, which stays valid. Any other error leaves
 * the outcome unknown, or the token used up: it must never be sent again.
 */
export async function refreshTokens({ refresh }: Tokens): Promise<Tokens> {
  return tokensOf(await oidc.refreshTokenGrant(client, refresh).catch(refuse));
}

function refuse(cause: unknown): never {
  if (!(cause instanceof oidc.ResponseBodyError)) throw cause;
  if (cause.status === 429)
    throw new Fault(429, 'pilot_rate_limited', { ...retryAfterOf(cause.response.headers), cause });
  throw cause.error === 'invalid_client' ? new Fault(503, 'invalid_client', { cause }) : cause;
}

/** Ends the grant, and with it every token of this person here. */
export async function revoke({ refresh }: Tokens): Promise<void> {
  await oidc.tokenRevocation(client, refresh).catch((cause: unknown) => {
    throw new Fault(503, 'no_answer', { retryAfter: 5, cause });
  });
}

/** The address at which a browser signs out of the network, too. */
export const signOutAddress = (): string =>
  oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: `${origin}/` }).href;

function tokensOf(answer: oidc.TokenEndpointResponse): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds = 300 } = answer;
  if (refresh === undefined) throw new Fault(400, 'login_failed');
  return { access, refresh, expiresAt: Date.now() + seconds * 1_000 };
}
