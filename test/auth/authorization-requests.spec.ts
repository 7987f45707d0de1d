import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover } from './support/flow.js';
import { send } from './support/raw.js';

let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
});

afterAll(() => network.stop());

type Changes = Readonly<Record<string, string>>;

/** Parameters of a redirect to the application. */
async function redirectedError(url: URL): Promise<Record<string, string>> {
  const { status, headers } = await send(network, { path: `${url.pathname}${url.search}` });
  expect(status).toBe(303);
  const location = new URL(headers.location ?? '');
  expect(`${location.origin}${location.pathname}${location.hash}`).toBe(redirectUri);
  return Object.fromEntries(location.searchParams);
}

describe('an authorization request refuses', () => {
  const challenge = 'x'.repeat(43);

  it.each<readonly [string, string, Changes, string]>([
    ['an unknown scope', 'read toString', {}, 'invalid_scope'],
    ['a scope that the application is not registered for', 'read post:delete', {}, 'invalid_scope'],
    ['no scope', '', {}, 'invalid_scope'],
    ['a scope with invalid characters', 'read "', {}, 'invalid_scope'],
    ['a missing nonce with the scope openid', 'openid', { nonce: '' }, 'invalid_request'],
    ['a parameter with U+0000', 'read', { ui_locales: 'de\0' }, 'invalid_request'],
    ['no code challenge', 'read', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['a code challenge without its method', 'read', { code_challenge_method: '' }, 'invalid_request'],
    ['a plain code challenge', 'read', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a code challenge method in lowercase', 'read', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a short code challenge', 'read', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['a long code challenge', 'read', { code_challenge: 'x'.repeat(129) }, 'invalid_request'],
    ['no response type', 'read', { response_type: '' }, 'invalid_request'],
    ['the response type token', 'openid', { response_type: 'token' }, 'unsupported_response_type'],
    ['the response type id_token', 'openid', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['a hybrid response type', 'openid', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['the response type none', 'openid', { response_type: 'none' }, 'unsupported_response_type'],
    ['the response mode fragment', 'read', { response_mode: 'fragment' }, 'invalid_request'],
    ['the response mode form_post', 'read', { response_mode: 'form_post' }, 'invalid_request'],
    ['the response mode jwt', 'read', { response_mode: 'jwt' }, 'invalid_request'],
    ['the response mode web_message', 'read', { response_mode: 'web_message' }, 'invalid_request'],
    ['an unknown prompt', 'read', { prompt: 'create' }, 'invalid_request'],
    ['prompt=none with another prompt', 'read', { prompt: 'none login' }, 'invalid_request'],
    ['a negative max_age', 'openid', { max_age: '-1' }, 'invalid_request'],
    ['a request object', 'read', { request: 'e30.e30.' }, 'request_not_supported'],
    [
      'a request object at a URL',
      'read',
      { request_uri: 'https://x.example/r' },
      'request_uri_not_supported',
    ],
    ['a malformed request_uri', 'read', { request_uri: 'r' }, 'invalid_request_uri'],
    ['another resource', 'read', { resource: 'https://other.example' }, 'invalid_target'],
    ['a resource that is no URI', 'read', { resource: 'plaza' }, 'invalid_target'],
    ['the registration of an application', 'read', { registration: '{}' }, 'invalid_request'],
    ['prompt=none without a session', 'read', { prompt: 'none' }, 'login_required'],
  ])('%s [service-code-flow-only, flow-s256, flow-redirect]', async (_what, scope, changes, error) => {
    const attempt = await authorizationRequest(client, scope, changes);
    if (changes['response_type'] === '') attempt.url.searchParams.delete('response_type');
    expect(await redirectedError(attempt.url)).toEqual({
      error,
      // A specific description, neither empty nor the default.
      error_description: expect.not.stringMatching(/^(The request was refused.)?$/),
      state: attempt.state,
      iss: network.issuer,
    });
  });

  it.each([
    ['read toString profile', 'unknown scope requested: profile toString'],
    ['read post:delete', 'requested scope is not allowed: post:delete'],
    [`read ${'x'.repeat(300)}`, `unknown scope requested: ${'x'.repeat(200)}`],
  ])('%j, and names the scope', async (scope, description) => {
    const { url } = await authorizationRequest(client, scope);
    expect(await redirectedError(url)).toMatchObject({
      error: 'invalid_scope',
      error_description: description,
    });
  });

  it.each([
    ['state', 1_024],
    ['nonce', 256],
  ])('a %s of more than %d characters', async (name, most) => {
    const { url } = await authorizationRequest(client, 'openid', { [name]: 'x'.repeat(most + 1) });
    expect(await redirectedError(url)).toMatchObject({
      error: 'invalid_request',
      error_description: `${name} has more than ${most} characters`,
    });
    url.searchParams.set(name, 'x'.repeat(most));
    const { headers } = await send(network, { path: `${url.pathname}${url.search}` });
    expect(headers.location).toMatch(new RegExp(`^${network.issuer}/interaction/`));
  });

  it('a missing state', async () => {
    const { url } = await authorizationRequest(client, 'read', { state: '' });
    expect(await redirectedError(url)).toEqual({
      error: 'invalid_request',
      error_description: 'state is missing',
      iss: network.issuer,
    });
  });

  it.each(['state', 'nonce', 'scope', 'code_challenge', 'response_type', 'prompt', 'resource'])(
    '%s twice',
    async (name) => {
      const { url } = await authorizationRequest(client, 'openid', { resource: network.baseUrl });
      url.searchParams.append(name, url.searchParams.get(name) ?? '');
      expect((await redirectedError(url)).error).toBe('invalid_request');
    },
  );
});

describe('an authorization request refuses, without a redirect,', () => {
  it.each([
    ['a longer path', `${redirectUri}/more`],
    ['a slash at the end', `${redirectUri}/`],
    ['uppercase letters in the path', redirectUri.replace('callback', 'Callback')],
    ['uppercase letters in the host', redirectUri.replace('pebble', 'PEBBLE')],
    ['another scheme', redirectUri.replace('https', 'http')],
    ['the default port of the scheme', redirectUri.replace('.example', '.example:443')],
    ['another port', redirectUri.replace('.example', '.example:8443')],
    ['a query', `${redirectUri}?more=1`],
    ['an empty query', `${redirectUri}?`],
    ['a fragment', `${redirectUri}#more`],
    ['a percent-encoded letter', redirectUri.replace('callback', '%63allback')],
    ['a dot segment', redirectUri.replace('callback', 'x/../callback')],
    ['a user name', redirectUri.replace('https://', 'https://pebble.example@evil.example/')],
    ['a longer host with the same beginning', redirectUri.replace('.example', '.example.evil.example')],
    ['white space', `${redirectUri} `],
    ['a relative address', '/callback'],
    ['the scheme javascript', 'javascript:alert(1)'],
    ['an empty value', ''],
  ])('a redirect_uri with %s [flow-redirect]', async (_what, uri) => {
    const { url } = await authorizationRequest(client, 'read', { redirect_uri: uri });
    for (const prompt of ['consent', 'none', 'nonsense']) {
      url.searchParams.set('prompt', prompt);
      expect(await errorAt(url)).toBe(uri === '' ? 'invalid_request' : 'invalid_redirect_uri');
    }
  });

  it.each([
    ['an unknown application', { client_id: 'nobody' }, 'invalid_client'],
    ['a client_id with U+0000', { client_id: '\0' }, 'invalid_client'],
    ['no application', { client_id: '' }, 'invalid_request'],
  ])('%s', async (_what, changes, error) => {
    const { url } = await authorizationRequest(client, 'read', changes);
    if (changes.client_id === '') url.searchParams.delete('client_id');
    expect(await errorAt(url)).toBe(error);
  });

  it.each(['client_id', 'redirect_uri'])('%s twice', async (name) => {
    const { url } = await authorizationRequest(client, 'read');
    url.searchParams.append(name, url.searchParams.get(name) ?? '');
    expect(await errorAt(url)).toBe('invalid_request');
  });

  it.each(['state=%zz', 'state=%FF', 'x=1&y=2&%78=3', 'x&'.repeat(101), `login_hint=${'x'.repeat(4_096)}`])(
    'the query %j',
    async (query) => {
      const { url } = await authorizationRequest(client, 'read');
      expect(await errorAt(`${url.pathname}${url.search}&${query}`)).toBe('invalid_request');
    },
  );

  /** The error code of an answer without a redirect. */
  async function errorAt(url: URL | string): Promise<string> {
    const path = typeof url === 'string' ? url : `${url.pathname}${url.search}`;
    const program = await send(network, { path });
    expect(program.status).toBe(400);
    expect(program.headers.location).toBeUndefined();
    const { error } = program.body as { error: string };
    expect(program.body).toEqual({ error, error_description: expect.any(String) });
    const person = await send(network, { path, headers: [['accept', 'text/html']] });
    expect(person.status).toBe(400);
    expect(person.headers.location).toBeUndefined();
    expect(person.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(person.text).toContain(error);
    expect(person.text).not.toContain('<script');
    return error;
  }
});

describe('an authorization request accepts', () => {
  it.each<readonly [string, Changes]>([
    ['the network as the resource', { resource: 'BASE' }],
    ['the response mode query', { response_mode: 'query' }],
    ['a nonce without openid', { nonce: 'n' }],
    ['an unknown parameter', { toString: 'x', unknown: 'y' }],
  ])('%s', async (_what, changes) => {
    const own = Object.entries(changes).map(([name, value]) => [
      name,
      value.replace('BASE', network.baseUrl),
    ]);
    const { url } = await authorizationRequest(client, 'read', Object.fromEntries(own) as Changes);
    const { status, headers } = await send(network, { path: `${url.pathname}${url.search}` });
    expect(status).toBe(303);
    expect(headers.location).toMatch(new RegExp(`^${network.issuer}/interaction/`));
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('offline access', () => {
  it('is refused to an application without that registered scope, before the person is asked', async () => {
    const other = await discover(network, await network.registerApplication(['openid', 'read']));
    const { url } = await authorizationRequest(other, 'read offline_access');
    expect((await redirectedError(url)).error).toBe('invalid_scope');
  });
});
