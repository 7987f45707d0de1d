import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { answerTo, basicCredentials, formContentType, open, post, send } from './support/raw.js';
import type { RawAnswer, RawRequest } from './support/raw.js';

const KIBI = 1024;

let network: AuthNetwork;
let application: ClientCredentials;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
});

afterAll(() => network.stop());

const endpoints = ['token', 'introspect', 'revoke'];
const path = (endpoint: string) => `/api/auth/oauth2/${endpoint}`;
/** A form that every endpoint accepts. */
const understoodForm = 'grant_type=refresh_token&refresh_token=x&token=x';

const at = (endpoint: string, changes: Partial<RawRequest> = {}) =>
  send(network, {
    method: 'POST',
    path: path(endpoint),
    headers: [basicCredentials(application), formContentType],
    body: understoodForm,
    ...changes,
  });

/** Status and code of a well-formed error. */
function errorOf({ status, headers, body }: RawAnswer): readonly [number, string] {
  expect(Object.keys(body as object).sort()).toEqual(['error', 'error_description']);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['www-authenticate']?.split(',')[0]).toBe(status === 401 ? 'Basic realm="plaza"' : undefined);
  return [status, body.error];
}

describe.each(endpoints)('the %s endpoint refuses', (endpoint) => {
  const basic = (credentials: string) => [
    ['authorization', `Basic ${btoa(credentials)}`] as const,
    formContentType,
  ];

  it.each([
    ['no credentials', () => [formContentType]],
    ['another scheme', () => [['authorization', 'Bearer x'] as const, formContentType]],
    ['credentials that are not base64', () => [['authorization', 'Basic %%%'] as const, formContentType]],
    ['credentials without a secret', () => basic(application.clientId)],
    ['an unknown application', () => basic(`nobody:${application.clientSecret}`)],
    ['another secret', () => basic(`${application.clientId}:${'x'.repeat(43)}`)],
    ['a client_id with U+0000', () => basic(`%00:${application.clientSecret}`)],
    ['a client_id with malformed percent-encoding', () => basic(`%zz:${application.clientSecret}`)],
  ])(
    '%s with 401 [service-no-public-clients, service-token-basic, summary-token, token-request, token-bodies, credentials-basic, endpoints-error-object, error-object, error-exact]',
    async (_what, headers) => {
      expect(errorOf(await at(endpoint, { headers: headers() }))).toEqual([401, 'invalid_client']);
    },
  );

  it('a secret in the form with 401, and with 400 if it comes beside HTTP Basic [credentials-basic, token-request]', async () => {
    const { clientId, clientSecret } = application;
    const own = new URLSearchParams({ client_id: clientId, client_secret: clientSecret }).toString();
    const body = `${understoodForm}&${own}`;
    expect(errorOf(await at(endpoint, { headers: [formContentType], body }))).toEqual([
      401,
      'invalid_client',
    ]);
    expect(errorOf(await at(endpoint, { body }))).toEqual([400, 'invalid_request']);
  });

  it('a signed assertion with 401, and with 400 if it comes beside HTTP Basic', async () => {
    const type = encodeURIComponent('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const body = `${understoodForm}&client_assertion=e30.e30.x&client_assertion_type=${type}`;
    expect(errorOf(await at(endpoint, { headers: [formContentType], body }))).toEqual([
      401,
      'invalid_client',
    ]);
    expect(errorOf(await at(endpoint, { body }))).toEqual([400, 'invalid_request']);
  });

  it('a client_id in the form that differs from the credentials with 401', async () => {
    const other = await network.registerApplication();
    const body = `${understoodForm}&client_id=${other.clientId}`;
    expect(errorOf(await at(endpoint, { body }))).toEqual([401, 'invalid_client']);
  });

  it.each(['Authorization', 'Content-Type', 'Origin'])(
    'a second %s header with 400 [origin-rule]',
    async (name) => {
      const given: [string, string][] = [
        [...basicCredentials(application)] as [string, string],
        [...formContentType] as [string, string],
        ['origin', network.baseUrl],
      ];
      expect((await at(endpoint, { headers: given })).body?.error).not.toBe('invalid_request');
      const again = given.find(([header]) => header === name.toLowerCase()) ?? ['', ''];
      expect(errorOf(await at(endpoint, { headers: [...given, again] }))).toEqual([400, 'invalid_request']);
    },
  );

  it.each(['https://evil.example', 'null', 'http://localhost'])(
    'the foreign Origin %s with 403 [origin-rule]',
    async (origin) => {
      const headers = [basicCredentials(application), formContentType, ['origin', origin] as const];
      expect(errorOf(await at(endpoint, { headers }))).toEqual([403, 'origin_mismatch']);
    },
  );

  it.each([
    ['application/json', '{}'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['text/plain', understoodForm],
    ['application/x-www-form-urlencoded; charset=utf-16', understoodForm],
    ['nonsense', understoodForm],
  ])('a body of %s with 415 [token-request, credentials-basic]', async (type, body) => {
    const headers = [basicCredentials(application), ['content-type', type] as const];
    expect(errorOf(await at(endpoint, { headers, body }))).toEqual([415, 'invalid_request']);
  });

  it('a compressed body with 415', async () => {
    const headers = [basicCredentials(application), formContentType, ['content-encoding', 'gzip'] as const];
    expect(errorOf(await at(endpoint, { headers }))).toEqual([415, 'invalid_request']);
  });

  it.each([
    ['malformed percent-encoding', `${understoodForm}&x=%zz`],
    ['percent-encoded bytes that are not UTF-8', `${understoodForm}&x=%FF`],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(`${understoodForm}&x=`), Buffer.from([0xff])])],
    ['a parameter twice', `${understoodForm}&token=x&grant_type=refresh_token`],
    ['an unknown parameter twice', `${understoodForm}&x=1&%78=2`],
    ['an empty form', ''],
  ])('%s with 400', async (_what, body) => {
    expect(errorOf(await at(endpoint, { body }))).toEqual([400, 'invalid_request']);
  });

  it('more than 64 KiB with 413, and accepts 64 KiB', async () => {
    const padded = (size: number) => `${understoodForm}&x=`.padEnd(size, 'x');
    expect(errorOf(await at(endpoint, { body: padded(64 * KIBI + 1) }))).toEqual([413, 'invalid_request']);
    const { status, body } = await at(endpoint, { body: padded(64 * KIBI) });
    expect([status, body?.error]).toEqual(endpoint === 'token' ? [400, 'invalid_grant'] : [200, undefined]);
  });

  it.each([
    ['letters', 'x'],
    ['characters that take three bytes when encoded', '"'],
  ])('no known parameter of 64 KiB, of %s', async (_what, letter) => {
    const body = `${understoodForm}&redirect_uri=`.padEnd(64 * KIBI, letter);
    const answer = await at(endpoint, { body });
    const expected = endpoint === 'token' ? [400, 'invalid_grant'] : [200, undefined];
    expect([answer.status, answer.body?.error]).toEqual(expected);
  });

  it('more than 64 KiB in chunks with 413, before the end of the body', async () => {
    const headers = [basicCredentials(application), formContentType];
    const sent = open(network, { method: 'POST', path: path(endpoint), headers });
    sent.on('error', () => undefined);
    sent.write(`${understoodForm}&x=`.padEnd(64 * KIBI + 1, 'x'));
    const answer = await answerTo(sent);
    expect(errorOf(answer)).toEqual([413, 'invalid_request']);
    expect(answer.headers.connection).toBe('close');
    sent.destroy();
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s with 405', async (method) => {
    const answer = await send(network, { method, path: path(endpoint) });
    expect(errorOf(answer)).toEqual([405, 'invalid_request']);
    expect(answer.headers.allow).toBe('POST');
  });
});

describe('an address of the authorization server refuses', () => {
  it.each([
    ['/api/auth'],
    ['/api/auth/nothing'],
    ['/api/auth/oauth2'],
    ['/api/auth/oauth2/nothing'],
    ['/api/auth/oauth2/token/more'],
    ['/api/auth/jwks/more'],
    ['/api/auth/.well-known/nothing'],
    ['/.well-known/oauth-authorization-server/other'],
  ])('every request to %s with 404', async (unknown) => {
    expect(errorOf(await send(network, { path: unknown }))).toEqual([404, 'not_found']);
    const headers = [formContentType];
    const posted = await send(network, { method: 'POST', path: unknown, headers, body: 'a=b' });
    expect(posted.body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  });

  it.each(['/api/auth/%zz', '/api/auth/oauth2/%FF'])(
    'malformed percent-encoding with 400: %s',
    async (malformed) => {
      const { status, body } = await send(network, { path: malformed });
      expect([status, body]).toEqual([
        400,
        { error: 'invalid_request', error_description: expect.any(String) },
      ]);
    },
  );

  it.each([
    ['/api/auth/jwks', 'GET, HEAD'],
    ['/api/auth/.well-known/openid-configuration', 'GET, HEAD'],
    ['/api/auth/.well-known/oauth-authorization-server', 'GET, HEAD'],
    ['/.well-known/oauth-authorization-server/api/auth', 'GET, HEAD'],
    ['/api/auth/oauth2/userinfo', 'GET'],
    ['/api/auth/oauth2/authorize', 'GET, HEAD'],
    ['/api/auth/oauth2/end-session', 'GET, HEAD'],
    ['/api/auth/oauth2/end-session/confirm', 'POST'],
  ])('other methods at %s with 405', async (known, allow) => {
    const answer = await send(network, { method: 'DELETE', path: known });
    expect(errorOf(answer)).toEqual([405, 'invalid_request']);
    expect(answer.headers.allow).toBe(allow);
  });

  it('an unknown Expect header, and a request without Host, with 400', async () => {
    const refused = [400, { error: 'invalid_request', error_description: expect.any(String) }];
    const answer = await send(network, { path: '/api/auth/jwks', headers: [['expect', 'foo']] });
    expect([answer.status, answer.body]).toEqual(refused);
    const { hostname, port } = new URL(network.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write('GET /api/auth/jwks HTTP/1.1\r\nConnection: close\r\n\r\n');
    const answered = await text(socket);
    expect(answered).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(answered.split('\r\n\r\n')[1] ?? '')).toEqual(refused[1]);
  });

  it.each([
    ['another Host', () => 'evil.example'],
    ['a Host with a user name', (host: string) => `evil.example@${host}`],
    ['a Host with a path', (host: string) => `${host}/evil.example`],
  ])('%s with 403', async (_what, hostOf) => {
    const host = hostOf(new URL(network.baseUrl).host);
    const sent = send(network, { path: '/api/auth/jwks', headers: [['host', host]] });
    expect((await sent).body).toEqual({ error: 'origin_mismatch', error_description: expect.any(String) });
  });
});

describe('the token endpoint refuses the grant type', () => {
  it.each([
    ['password', 'unsupported_grant_type'],
    ['client_credentials', 'unsupported_grant_type'],
    ['implicit', 'unsupported_grant_type'],
    ['urn:ietf:params:oauth:grant-type:device_code', 'unsupported_grant_type'],
    ['toString', 'unsupported_grant_type'],
    ['', 'invalid_request'],
  ])('%j [service-code-flow-only]', async (grantType, error) => {
    expect(errorOf(await post(network, 'token', application, { grant_type: grantType }))).toEqual([
      400,
      error,
    ]);
  });
});
