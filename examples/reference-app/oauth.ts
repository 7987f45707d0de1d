/** The application as an OAuth client: the code flow with PKCE, and refresh. */
import * as oidc from 'openid-client';
import { Fault, retryAfterOf } from './fault.ts';
import { quit, SCOPES, settings } from './settings.ts';
import { consume, insert } from './store.ts';

const { baseUrl, clientId, clientSecret, origin } = settings;
// The library checks signatures of ID tokens only on request. Plain http is for a network on one's own machine.
const execute = [oidc.enableNonRepudiationChecks];
if (baseUrl.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
const [issuer, basic] = [new URL(`${baseUrl}/api/auth`), oidc.ClientSecretBasic(clientSecret)];
const client = await oidc
  .discovery(issuer, clientId, undefined, basic, { execute, timeout: 10 })
  .catch((error: Error) => quit(`BASE_URL ${baseUrl}: ${error.message}`));

/** Ends the session of this browser at the network, and comes back. The person confirms it there. */
export const endSessionUrl = oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: `${origin}/` }).href;

/** `expiresAt`: of the access token, in Unix milliseconds. */
export type Tokens = Readonly<{ access: string; refresh: string; expiresAt: number }>;

type Login = Readonly<Record<'verifier' | 'nonce' | 'returnTo', string>>;

export async function beginLogin(browser: string, returnTo: string): Promise<string> {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  insert('login', browser, state, { verifier, nonce, returnTo } satisfies Login, 15 * 60_000);
  return oidc.buildAuthorizationUrl(client, {
    redirect_uri: `${origin}/callback`,
    scope: SCOPES.join(' '),
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: 'consent',
  }).href;
}

/** Exchanges the code of a callback. Its sign-in is deleted first: it has one callback, whatever comes of that. */
export async function completeLogin(browser: string, url: URL): Promise<readonly [Tokens, string]> {
  const expectedState = url.searchParams.get('state') ?? '';
  const login = consume('login', browser, expectedState) as Login | undefined;
  if (!login) throw new Fault(400, 'login_unknown');
  const { verifier: pkceCodeVerifier, nonce: expectedNonce, returnTo } = login;
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  const answer = oidc.authorizationCodeGrant(client, url, checks).then(tokensOf);
  const tokens = await answer.catch(async (cause: unknown) => {
    const isDenied = cause instanceof oidc.AuthorizationResponseError && cause.error === 'access_denied';
    const fault = refusalOf(cause) ?? (await unavailable(cause));
    throw fault ?? new Fault(400, isDenied ? 'login_denied' : 'login_failed', cause);
  });
  return [tokens, returnTo];
}

/** @throws {Fault} refused before the token was used. After any other error it must never be sent again. */
export async function refreshTokens({ refresh }: Tokens): Promise<Tokens> {
  const answer = oidc.refreshTokenGrant(client, refresh).then(tokensOf);
  return answer.catch((cause: unknown) => {
    throw refusalOf(cause) ?? cause;
  });
}

/** A refusal of the application, before its code or token was used. */
function refusalOf(cause: unknown): Fault | undefined {
  // The library reads no code of an answer with a challenge: it is `invalid_client` alone (RFC 6749, section 5.2).
  if (cause instanceof oidc.WWWAuthenticateChallengeError) return new Fault(503, 'invalid_client', cause, 5);
  const isLimited = cause instanceof oidc.ResponseBodyError && cause.status === 429;
  return isLimited ? new Fault(429, 'pilot_rate_limited', cause, retryAfterOf(cause.response)) : undefined;
}

/** An answer with the network's own code, which the library does not read. */
async function unavailable(cause: unknown): Promise<Fault | undefined> {
  const response = cause instanceof Error && cause.cause;
  if (!(response instanceof Response) || response.status !== 503) return undefined;
  // A reverse proxy answers without a code.
  const { error = 'no_answer' } = (await response.json().catch(() => ({}))) as { error?: string };
  return new Fault(503, error, cause, retryAfterOf(response));
}

function tokensOf(answer: oidc.TokenEndpointResponse): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds = 300 } = answer;
  if (refresh === undefined) throw new Error('the network gave no refresh token');
  return { access, refresh, expiresAt: Date.now() + seconds * 1_000 };
}
