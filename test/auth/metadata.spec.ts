import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { everyScope, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, errorOf } from './support/flow.js';
import { post, send } from './support/raw.js';

const document = readFileSync(new URL('../../docs/network-api.md', import.meta.url), 'utf8');
const codesIn = (text: string) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
const [, members = ''] = /Metadata members \(all optional in shape\):(.+)/.exec(document) ?? [];
const publishedMembers = codesIn(members);
/** The published claims that a person of this network can have a value for. */
const claimsWithValues = [
  'sub',
  'name',
  'preferred_username',
  'website',
  'email',
  'email_verified',
  'updated_at',
];
const [, claims = ''] = /All strings unless stated:(.+)/.exec(document) ?? [];
const publishedClaims = codesIn(claims);

type Metadata = Readonly<Record<string, string | boolean | readonly string[]>>;

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let metadata: Metadata;

const addresses = [
  '/api/auth/.well-known/openid-configuration',
  '/api/auth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/api/auth',
];

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  await network.createAccount('ada');
  client = await discover(network, application);
  metadata = (await send(network, { path: addresses[0] ?? '' })).body as Metadata;
});

afterAll(() => network.stop());

const pathOf = (member: string) => new URL(String(metadata[member])).pathname;

describe('the metadata', () => {
  it('is byte for byte the same at its three addresses [discovery-addresses, summary-discovery-openid, summary-discovery-oauth, summary-discovery-root, credentials-none]', async () => {
    const answers = await Promise.all(addresses.map((path) => send(network, { path })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('needs no credential, and ignores a credential, an Origin and a query [credentials-none]', async () => {
    const [path = ''] = addresses;
    const { text } = await send(network, { path });
    const headers = [
      ['authorization', 'Bearer nonsense'],
      ['origin', 'https://app.example'],
    ] as const;
    const answer = await send(network, { path: `${path}?issuer=x&issuer=y`, headers });
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect((await send(network, { method: 'HEAD', path })).status).toBe(200);
  });

  it('has published members only, each of the published type [discovery-members]', () => {
    expect(publishedMembers).toHaveLength(38);
    expect(Object.keys(metadata).filter((member) => !publishedMembers.includes(member))).toEqual([]);
    const kinds = Object.entries(metadata).map(([member, value]) => [member, typeof value] as const);
    const strings = kinds.filter(([member]) => /^issuer$|_endpoint$|_uri$/.test(member));
    const others = kinds.filter((each) => !strings.includes(each));
    expect(new Set(strings.map(([, kind]) => kind))).toEqual(new Set(['string']));
    expect(new Set(others.map(([, kind]) => kind))).toEqual(new Set(['boolean', 'object']));
    const lists = Object.values(metadata).filter((value) => typeof value === 'object');
    expect(lists.flat().filter((each) => typeof each !== 'string')).toEqual([]);
  });

  it('describes exactly what the server supports [intro-auth-server, service-issuer, service-no-public-clients, discovery-members, identity-claims]', () => {
    const { issuer } = network;
    const basic = ['client_secret_basic'];
    const { scopes_supported: scopes, ...rest } = metadata;
    expect(rest).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/oauth2/token`,
      userinfo_endpoint: `${issuer}/oauth2/userinfo`,
      introspection_endpoint: `${issuer}/oauth2/introspect`,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      end_session_endpoint: `${issuer}/oauth2/end-session`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: basic,
      introspection_endpoint_auth_methods_supported: basic,
      revocation_endpoint_auth_methods_supported: basic,
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: claimsWithValues,
      prompt_values_supported: ['none', 'login', 'consent'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
    });
    expect(publishedClaims).toHaveLength(17);
    expect(publishedClaims).toEqual(expect.arrayContaining(claimsWithValues));
    expect(everyScope.filter((scope) => !(scopes as string[]).includes(scope))).toEqual([]);
  });

  it('is accepted by another client library', async () => {
    const issuer = new URL(network.issuer);
    const insecure = { [oauth.allowInsecureRequests]: true };
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
      expect((await oauth.processDiscoveryResponse(issuer, response)).issuer).toBe(network.issuer);
    }
  });
});

it.each([...addresses, '/api/auth/jwks'])('%s is refused at a foreign host [origin-urls]', async (path) => {
  const { status, body } = await send(network, { path, headers: [['host', 'evil.example']] });
  expect([status, body]).toEqual([403, { error: 'origin_mismatch', error_description: expect.any(String) }]);
});

it.each([
  ...addresses.map((path) => ['GET', path] as const),
  ['GET', '/api/auth/jwks'],
  ['POST', '/api/auth/oauth2/token'],
  ['POST', '/api/auth/oauth2/introspect'],
  ['POST', '/api/auth/oauth2/revoke'],
  ['GET', '/api/auth/oauth2/userinfo'],
] as const)('no answer has CORS headers: %s %s', async (method, path) => {
  for (const origin of [undefined, network.baseUrl, 'https://app.example']) {
    const { headers } = await send(network, { method, path, headers: origin ? [['origin', origin]] : [] });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

describe('the announced metadata:', () => {
  it.each([
    ['authorization_endpoint', 'GET', 400],
    ['token_endpoint', 'POST', 401],
    ['introspection_endpoint', 'POST', 401],
    ['revocation_endpoint', 'POST', 401],
    ['userinfo_endpoint', 'GET', 401],
    ['end_session_endpoint', 'GET', 303],
    ['jwks_uri', 'GET', 200],
  ])(
    'the endpoint answers: %s [intro-discovered-addresses, credentials-none]',
    async (member, method, expected) => {
      const { status } = await send(network, {
        method,
        path: pathOf(member),
        headers: [['accept', 'text/html']],
      });
      expect(status).toBe(expected);
    },
  );

  it('all seven endpoints are announced', () => {
    const endpoints = Object.keys(metadata).filter((member) => /_endpoint$|_uri$/.test(member));
    expect(endpoints).toHaveLength(7);
    expect(metadata['registration_endpoint']).toBeUndefined();
  });

  it('every scope, response type, grant type, method and algorithm works [scopes]', async () => {
    const scope = everyScope.join(' ');
    const connected = await connect(client, new Browser(network.baseUrl), 'ada', scope);
    expect(connected.callback.searchParams.get('iss')).toBe(metadata['issuer']);
    expect([...connected.callback.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    const header = JSON.parse(atob(connected.idToken.split('.')[0] ?? '')) as { alg: string; kid: string };
    expect(metadata['id_token_signing_alg_values_supported']).toEqual([header.alg]);
    const { keys } = (await send(network, { path: pathOf('jwks_uri') })).body as { keys: { kid: string }[] };
    expect(keys.map(({ kid }) => kid)).toContain(header.kid);
    expect(await errorOf(oidc.refreshTokenGrant(client, connected.refreshToken))).toBeUndefined();
    const returned = await oidc.fetchUserInfo(client, connected.accessToken, connected.subject);
    expect(metadata['claims_supported']).toEqual(expect.arrayContaining(Object.keys(returned)));
    const introspected = await oidc.tokenIntrospection(client, connected.accessToken);
    expect([introspected.active, introspected.sub]).toEqual([true, connected.subject]);
    await oidc.tokenRevocation(client, connected.accessToken);
  });

  it('every supported prompt is announced', async () => {
    for (const prompt of metadata['prompt_values_supported'] as string[]) {
      const { url } = await authorizationRequest(client, 'openid', { prompt });
      const { headers } = await send(network, { path: `${url.pathname}${url.search}` });
      const taken =
        prompt === 'none' ? `${redirectUri}?error=login_required` : `${network.issuer}/interaction/`;
      expect(headers.location?.startsWith(taken)).toBe(true);
    }
  });

  it('every supported grant type is announced', async () => {
    for (const grantType of [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'implicit',
      'password',
    ]) {
      const announced = (metadata['grant_types_supported'] as string[]).includes(grantType);
      const parameters = { grant_type: grantType, code: 'x', redirect_uri: redirectUri, refresh_token: 'x' };
      const { body } = await post(network, 'token', application, {
        ...parameters,
        code_verifier: 'x'.repeat(43),
      });
      expect([grantType, body.error]).toEqual([
        grantType,
        announced ? 'invalid_grant' : 'unsupported_grant_type',
      ]);
    }
  });
});

describe('the key set', () => {
  it('publishes no private part of a key', async () => {
    const { keys } = (await send(network, { path: pathOf('jwks_uri') })).body as { keys: object[] };
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});
