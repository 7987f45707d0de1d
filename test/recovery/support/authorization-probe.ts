import { signIn } from '../../../src/programs/demo/sign-in.js';
import { password, redirectUri } from '../../support/api.js';
import type { Application, SignedIn } from '../../support/api.js';
import type { TestNetwork } from '../../support/network.js';

/** The status and the error code, if any. */
type Outcome = readonly [number, string | undefined];

/** The requests of a person and an application to the authorization server. */
export class AuthorizationProbe {
  private constructor(
    private readonly baseUrl: string,
    private readonly application: Application,
    private readonly accessToken: string,
    private readonly refreshToken: string,
  ) {}

  /** Signs the person in through the application, with offline access. */
  static async begin(
    { baseUrl }: Pick<TestNetwork, 'baseUrl'>,
    application: Application,
    person: SignedIn,
  ): Promise<AuthorizationProbe> {
    const { handle } = (await person.get('/api/profile')).body.profile;
    const scope = 'openid offline_access read';
    const asked = { ...application, redirectUri, handle, password, scope };
    const { access_token, refresh_token = '' } = await signIn(baseUrl, asked);
    return new AuthorizationProbe(baseUrl, application, access_token, refresh_token);
  }

  /** Requests that issue, check or revoke tokens. */
  async applicationRequests(): Promise<Readonly<Record<string, Outcome>>> {
    return {
      'for authorization': await this.#request('GET', this.#authorization()),
      'to go on with it': await this.#request('GET', '/api/auth/oauth2/authorize/some-interaction'),
      'for the tokens of a code': await this.#request('POST', '/api/auth/oauth2/token', {
        grant_type: 'authorization_code',
        code: 'some-code',
        redirect_uri: redirectUri,
        code_verifier: 'v'.repeat(43),
      }),
      'for new tokens': await this.refresh(),
      'who it is': await this.userinfo(),
      'what a token is worth': await this.#request('POST', '/api/auth/oauth2/introspect', {
        token: this.accessToken,
      }),
      'to take back a token': await this.#request('POST', '/api/auth/oauth2/revoke', {
        token: this.refreshToken,
      }),
      'to sign out': await this.#request('GET', '/api/auth/oauth2/end-session'),
      'to sign out, confirmed': await this.#request('POST', '/api/auth/oauth2/end-session/confirm', {}),
      'where it leads': await this.#request('GET', '/api/auth/oauth2/end-session/success'),
    };
  }

  /** Requests that create, show or change an account. */
  async personRequests(): Promise<Readonly<Record<string, Outcome>>> {
    return {
      'for the sign-in page': await this.#request('GET', '/api/auth/interaction/some-interaction'),
      'to be signed in': await this.#request('POST', '/api/auth/interaction/some-interaction/sign-in', {}),
      'for the sign-up page': await this.#request('GET', '/api/auth/interaction/some-interaction/sign-up'),
      'to be signed up': await this.#request('POST', '/api/auth/interaction/some-interaction/sign-up', {}),
      'to be somebody else': await this.#request('POST', '/api/auth/interaction/some-interaction/switch', {}),
      'to consent': await this.#request('POST', '/api/auth/interaction/some-interaction/consent', {}),
      'for the account page': await this.#request('GET', '/api/auth/account'),
      'to be signed in there': await this.#request('POST', '/api/auth/account/sign-in', {}),
      'for the sign-up page there': await this.#request('GET', '/api/auth/account/sign-up'),
      'to be signed up there': await this.#request('POST', '/api/auth/account/sign-up', {}),
      'for another password': await this.#request('POST', '/api/auth/account/password', {}),
      'to be erased': await this.#request('POST', '/api/auth/account/erase', {}),
      'to be signed out': await this.#request('POST', '/api/auth/account/sign-out', {}),
      'to be signed out everywhere': await this.#request('POST', '/api/auth/account/sign-out-everywhere', {}),
      'to disconnect': await this.#request('POST', '/api/auth/account/disconnect', {}),
      'not to be erased': await this.#request('POST', '/api/auth/account/keep', {}),
    };
  }

  /** Requests without data of a person. */
  async publicRequests(): Promise<Readonly<Record<string, Outcome>>> {
    return {
      metadata: await this.#request('GET', '/api/auth/.well-known/openid-configuration'),
      'metadata of OAuth': await this.#request('GET', '/.well-known/oauth-authorization-server/api/auth'),
      keys: await this.#request('GET', '/api/auth/jwks'),
    };
  }

  async refresh(): Promise<Outcome> {
    return this.#request('POST', '/api/auth/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: this.refreshToken,
    });
  }

  async userinfo(): Promise<Outcome> {
    return this.#request('GET', '/api/auth/oauth2/userinfo', undefined, `Bearer ${this.accessToken}`);
  }

  #authorization(): string {
    const { clientId } = this.application;
    const asked = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' };
    const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    return `/api/auth/oauth2/authorize?${new URLSearchParams({ ...asked, ...pkce, state: 's' }).toString()}`;
  }

  async #request(
    method: string,
    path: string,
    form?: Record<string, string>,
    authorization = this.#basic(),
  ): Promise<Outcome> {
    const response = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: { authorization, accept: 'application/json', origin: this.baseUrl },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return [response.status, isJson ? (JSON.parse(text) as { error?: string }).error : undefined];
  }

  #basic(): string {
    const { clientId, clientSecret } = this.application;
    return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  }
}

/** The requests that are not rejected during a quarantine, and the public ones that fail. */
export async function unexpectedlyOpen(
  signIns: AuthorizationProbe,
): Promise<readonly (readonly [string, Outcome])[]> {
  const others = (asked: Readonly<Record<string, Outcome>>, ...expected: Outcome) =>
    Object.entries(asked).filter(([, told]) => String(told) !== String(expected));
  return [
    ...others(await signIns.applicationRequests(), 503, 'temporarily_unavailable'),
    ...others(await signIns.personRequests(), 503, 'auth_unavailable'),
    ...others(await signIns.publicRequests(), 200, undefined),
  ];
}
