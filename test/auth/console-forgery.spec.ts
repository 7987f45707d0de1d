import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '../../src/domain/operator/roles.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { streams } from '../../src/log/streams.js';
import { consolePathOf } from '../../src/operator/desk/act.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { operatorClient } from '../support/operator-client.js';
import { formsOf } from '../../src/programs/demo/html-forms.js';
import { Authenticator } from '../support/authenticator.js';
import { questionOf } from '../support/console.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let origin: string;
let operatorId: string;
/** A signed-in browser: its cookie, and the fields of the form that issues a token. */
let cookie: string;
let fields: Readonly<Record<string, string>>;

type Headers = Readonly<Record<string, string | undefined>>;

interface Sent {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: Readonly<Record<string, string>>;
}

/** Sends exactly these headers, by a connection of its own. */
async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const { operatorHost, operatorPort } = network.config;
  const given = { host: new URL(origin).host, ...headers };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return new Promise<{ status: number; cookies: readonly string[]; text: string; headers: Headers }>(
    (resolve, reject) => {
      const sending = request(
        { host: operatorHost, port: operatorPort, path, method, headers: sent, agent: false, setHost: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              cookies: response.headers['set-cookie'] ?? [],
              text,
              headers: response.headers as Headers,
            }),
          );
        },
      );
      sending.on('error', reject);
      sending.end(body && new URLSearchParams(body).toString());
    },
  );
}

const formHeaders = () => ({ origin, 'content-type': 'application/x-www-form-urlencoded' });
const post = (path: string, headers: Headers, body: Readonly<Record<string, string>>) =>
  send(path, { method: 'POST', headers: { ...formHeaders(), ...headers }, body });
const cookieIn = (cookies: readonly string[], name: string): string =>
  cookies.map((each) => each.split(';', 1)[0] ?? '').find((each) => each.startsWith(`${name}=`)) ?? '';

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(network.app());
  origin = network.config.operatorBaseUrl;
  const invited = await operatorClient(network.config).post('operators', { name: 'Grace', roles });
  operatorId = invited.operatorId;
  const { pathname, search } = new URL(invited.link);
  const page = await send(pathname + search);
  const [form] = formsOf(page.text);
  const visitor = cookieIn(page.cookies, 'plaza_operator_visitor');
  const credential = new Authenticator(origin).create(questionOf(page));
  const enrolled = await post('/console/enrollments', { cookie: visitor }, { ...form!.fields, credential });
  cookie = cookieIn(enrolled.cookies, 'plaza_operator');
  const own = await send('/console/own', { headers: { cookie } });
  fields = formsOf(own.text).find(({ action }) => action === '/console/own/tokens')!.fields;
});

afterAll(async () => {
  await operatorApi?.close();
  await network?.stop();
});

const tokens = async () =>
  (await network.log().read(streams.operator(operatorId))).filter(
    ({ event }) => event.type === 'operator.token_issued',
  ).length;

describe('a form of the console', () => {
  it('is accepted from its page', async () => {
    expect(await post('/console/own/tokens', { cookie }, fields)).toMatchObject({ status: 200 });
    expect(await tokens()).toBe(1);
  });

  it.each<[string, () => Promise<{ status: number; text: string }>, string]>([
    [
      'without Origin',
      () => post('/console/own/tokens', { cookie, origin: undefined }, fields),
      'origin_required',
    ],
    [
      'with the Origin of another site',
      () => post('/console/own/tokens', { cookie, origin: 'https://evil.example' }, fields),
      'origin_mismatch',
    ],
    [
      'with the Origin of another server of this host',
      () => post('/console/own/tokens', { cookie, origin: network.baseUrl }, fields),
      'origin_mismatch',
    ],
    [
      'with the Origin null',
      () => post('/console/own/tokens', { cookie, origin: 'null' }, fields),
      'origin_mismatch',
    ],
    [
      'with another Host',
      () => post('/console/own/tokens', { cookie, host: 'evil.example' }, fields),
      'origin_mismatch',
    ],
    [
      'with the Host and Origin of a rebound name',
      () =>
        post(
          '/console/own/tokens',
          {
            cookie,
            host: `evil.example:${new URL(origin).port}`,
            origin: `http://evil.example:${new URL(origin).port}`,
          },
          fields,
        ),
      'origin_mismatch',
    ],
    [
      'without the field',
      () => post('/console/own/tokens', { cookie }, { label: 'forged', days: '90' }),
      'origin_mismatch',
    ],
    [
      'with the field of another browser',
      () => post('/console/own/tokens', { cookie }, { ...fields, form: 'A'.repeat(43) }),
      'origin_mismatch',
    ],
    ['to sign in, without the field', () => post('/console/sign-in', {}, {}), 'origin_mismatch'],
    ['to enroll, without the field', () => post('/console/enrollments', {}, {}), 'origin_mismatch'],
    ['to sign out, without the field', () => post('/console/sign-out', { cookie }, {}), 'origin_mismatch'],
  ])('is refused with 403 %s', async (_how, forge, code) => {
    const before = await tokens();
    const { status, text } = await forge();
    expect([status, JSON.parse(text)]).toEqual([403, { error: code, message: expect.any(String) }]);
    expect(await tokens()).toBe(before);
  });

  const forms = actTable
    .filter(({ method }) => method === 'POST')
    .flatMap((row) => consolePathOf(row)?.replaceAll(/:\w+/g, 'nobody') ?? []);

  it.each<[string, Headers, Readonly<Record<string, string>>]>([
    ['without Origin', { origin: undefined }, {}],
    ['with a foreign Origin', { origin: 'https://evil.example' }, {}],
    ['with a foreign Host', { host: 'evil.example' }, {}],
    ['without the field', {}, { form: '' }],
  ])('of any act is refused with 403 %s', async (_how, headers, body) => {
    expect(forms.length).toBeGreaterThan(30);
    const answers = await Promise.all(
      forms.map(async (path) => {
        const { status, text } = await post(path, { cookie, ...headers }, { ...fields, ...body });
        return [path, status, (JSON.parse(text) as { error: string }).error];
      }),
    );
    const code =
      'origin' in headers && headers['origin'] === undefined ? 'origin_required' : 'origin_mismatch';
    expect(answers).toEqual(forms.map((path) => [path, 403, code]));
  });

  it('is not read from JSON, and not accepted after the session', async () => {
    const headers = { cookie, origin, 'content-type': 'application/json' };
    expect((await send('/console/own/tokens', { method: 'POST', headers })).status).toBeGreaterThan(399);
    const dead = cookie.replace(/=.*/, `=${'A'.repeat(43)}`);
    expect(await post('/console/own/tokens', { cookie: dead }, fields)).toMatchObject({ status: 401 });
    expect(await post('/console/own/tokens', {}, fields)).toMatchObject({ status: 401 });
  });
});

describe('a page of the console', () => {
  it('is not served under a rebound name, nor to another origin', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { host: '127.0.0.1' },
    ])
      expect([headers, (await send('/console/own', { headers: { cookie, ...headers } })).status]).toEqual([
        headers,
        403,
      ]);
  });

  it('leads to the sign-in without a session, and back to the page, never to another site', async () => {
    expect(await send('/console/own')).toMatchObject({
      status: 303,
      headers: { location: '/console/sign-in?to=%2Fconsole%2Fown' },
    });
    const target = async (to: string) =>
      formsOf((await send(`/console/sign-in?to=${encodeURIComponent(to)}`)).text)[0]?.fields['to'];
    for (const page of ['/console/operators', '/console/audit?q=app%3AX+since:24h&before=1'])
      expect(await target(page)).toBe(page);
    for (const to of [
      '/console/x?a#b',
      '/console/x?a\\b',
      'https://evil.example',
      '//evil.example',
      '/console/../x',
      '/console//evil"',
    ])
      expect(await target(to)).toBe('/console');
  });

  it('has the content policy, and is stored by no cache', async () => {
    const { headers } = await send('/console/own', { headers: { cookie } });
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; /,
      ),
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
  });

  it('has the secret of no session in it', async () => {
    const { text } = await send('/console/own', { headers: { cookie } });
    expect(text).not.toContain(cookie.replace(/^.*=/, ''));
  });
});

describe('the cookie of a session', () => {
  it('has a name and a path of its own, and no script reads it', async () => {
    const { cookies } = await send('/console/sign-in');
    expect(cookies).toEqual([
      expect.stringMatching(/^plaza_operator_visitor=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it('comes with no file, which caches may share', async () => {
    const { text } = await send('/console/sign-in');
    const files = [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(1);
    for (const path of files)
      expect(await send(path)).toMatchObject({
        status: 200,
        cookies: [],
        headers: { 'cache-control': expect.stringContaining('immutable') },
      });
  });

  it('is no credential for the operator API', async () => {
    const headers = { cookie, origin };
    expect(await send('/operator/projections', { headers })).toMatchObject({ status: 401 });
    const issue = await send('/operator/own/tokens', { method: 'POST', headers });
    expect(issue.status).toBe(401);
  });
});
