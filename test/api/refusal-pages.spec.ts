import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Readiness } from '../../src/server/health/health.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { root } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { personWithToken } from '../support/people.js';
import { post } from '../support/social.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CONTACT = 'help@plaza.example';
const SOURCE = 'https://code.example/plaza/src/v1';

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork({
    OPERATOR_CONTACT: CONTACT,
    REGISTRATION: 'closed',
    PUBLIC_NUMBERS: 'on',
    SOURCE_URL: SOURCE,
  });
});

afterAll(() => network.stop());

const ask = (path: string, accept: string, method = 'GET') =>
  fetch(network.baseUrl + path, { method, redirect: 'manual', headers: { accept } });

const headersOf = ({ headers }: Response) =>
  Object.fromEntries(
    ['allow', 'retry-after', 'www-authenticate', 'vary'].map((name) => [name, headers.get(name)]),
  );

const unknownClient = '/api/auth/oauth2/authorize?client_id=nobody&response_type=code&state=s';

describe('outside of the operations of the document', () => {
  it.each<readonly [string, string, number, string, string?]>([
    ['an unknown address', '/nothing', 404, 'not_found'],
    ['an unknown address of the API', '/api/nothing', 404, 'not_found'],
    ['an unknown address of the authorization server', '/api/auth/nothing', 404, 'not_found'],
    ['a page that is not there', '/api/auth/account/nothing', 404, 'not_found'],
    ['an operation of another method', '/api/posts', 405, 'invalid_request'],
    ['an endpoint for applications', '/api/auth/oauth2/token', 405, 'invalid_request'],
    ['a method that a page does not take', '/', 405, 'invalid_request', 'DELETE'],
    ['an unknown application', unknownClient, 400, 'invalid_client'],
    ['a closed registration', '/api/auth/account/sign-up', 403, 'social_authority_required'],
  ])('%s is a page for a browser, with the status and headers of the Error object', async (...row) => {
    const [, path, status, code, method] = row;
    const [page, object] = [await ask(path, BROWSER, method), await ask(path, '*/*', method)];
    expect([page.status, object.status]).toEqual([status, status]);
    expect(headersOf(page)).toEqual(headersOf(object));
    expect(page.headers.get('vary')).toBe('Accept');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src /);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const text = await page.text();
    expect(text).toContain(code);
    expect(text).toContain(`Request ${page.headers.get('x-request-id')}`);
    expect(((await object.json()) as { error: string }).error).toBe(code);
  });

  it.each([
    ['the people who made that link', '/nothing'],
    ['the people who run it', '/api/posts'],
    ['the people who run the application', unknownClient],
    [`the operators of this network (<a href="mailto:${CONTACT}">`, unknownClient],
    [`the operators of this network (<a href="mailto:${CONTACT}">`, '/api/auth/account/sign-up'],
    [`the operators of this network (<a href="mailto:${CONTACT}">`, '/api/auth/account'],
  ])('the page says who can do something: %j', async (who, path) => {
    expect((await (await ask(path, BROWSER)).text()).replaceAll(/\s+/g, ' ')).toContain(who);
  });
});

describe('an operation of the document', () => {
  it.each([
    ['/api/session', 401],
    ['/api/posts/none', 404],
    ['/api/actors/none', 404],
    ['/api/timeline?limit=x', 401],
    ['/api/auth/oauth2/userinfo', 401],
  ])('answers a browser with an Error object, too: %s', async (path, status) => {
    const answer = await ask(path, BROWSER);
    expect([answer.status, answer.headers.get('vary')]).toEqual([status, null]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(((await answer.json()) as { error: string }).error).toEqual(expect.any(String));
  });
});

describe('a wrong request of an application', () => {
  it.each(['unregistered address', 'no client_id', 'client_id twice', 'foreign id_token_hint'])(
    'is told to a person, with the words for developers behind the code: %s',
    async (what) => {
      const { clientId } = await registerApplication(network);
      const path = {
        'unregistered address': `authorize?client_id=${clientId}&response_type=code&state=s&redirect_uri=https://x.example/cb`,
        'no client_id': 'authorize?response_type=code&state=s',
        'client_id twice': `authorize?client_id=${clientId}&client_id=${clientId}&response_type=code&state=s`,
        'foreign id_token_hint': 'end-session?id_token_hint=x',
      }[what];
      const page = await ask(`/api/auth/oauth2/${path}`, BROWSER);
      const object = await ask(`/api/auth/oauth2/${path}`, '*/*');
      const { error, error_description } = (await object.json()) as Record<string, string>;
      expect([page.status, object.status]).toEqual([400, 400]);
      const text = (await page.text()).replaceAll(/\s+/g, ' ').replaceAll('&#39;', "'");
      expect(text).toMatch(/<h1>(The application made a mistake|Unknown application)<\/h1>/);
      expect(text).toContain('Only the people who run the application can mend this.');
      expect(text).not.toContain('start again');
      expect(text).toContain(`<p class="small quiet">${error}: ${error_description}</p>`);
    },
  );
});

describe('/readyz', () => {
  it('is JSON for probes, and a page that says the same for a browser', async () => {
    const probe = await ask('/readyz', '*/*');
    const { components } = (await probe.json()) as Readiness;
    const page = await ask('/readyz', BROWSER);
    expect([probe.status, page.status]).toEqual([200, 200]);
    expect([probe, page].map(({ headers }) => headers.get('vary'))).toEqual(['Accept', 'Accept']);
    const text = await page.text();
    expect(text).toContain('<h1>The network is ready</h1>');
    expect(text.split('<li>')).toHaveLength(Object.keys(components).length + 1);
  });
});

describe('with the settings of the network', () => {
  it('the landing page names the operators, and counts of the last days, none of them smaller than 20', async () => {
    const person = await personWithToken(network, await registerApplication(network));
    for (let posts = 0; posts < 20; posts += 1) await post(person, `Lamp ${posts}`);
    await operatorOf(network).get('audit', { q: `actor:${person.actorId}`, texts: false, wait: true });
    const page = await (await ask('/', BROWSER)).text();
    const numbers = [...page.matchAll(/<dt>(.*)<\/dt>\s*<dd>(.*)<\/dd>/g)];
    expect(numbers.map(([, what, count]) => [what, count])).toEqual([
      ['posts and replies', '20'],
      ['new accounts', 'fewer than 20'],
    ]);
    expect(page.split(`<a href="mailto:${CONTACT}">`)).toHaveLength(4);
  });

  it('links of the guide that leave it lead to files of the source', async () => {
    const guide = await (await ask('/docs/guide', BROWSER)).text();
    const linked = [...guide.matchAll(/href="(\w+:[^"]+)"/g)].map(([, href = '']) => href);
    expect(linked).toContain(`${SOURCE}/examples/minimal-client`);
    expect(linked.filter((href) => !existsSync(href.replace(SOURCE, root)))).toEqual([]);
  });
});
