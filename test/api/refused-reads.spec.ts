import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Answer, SignedIn } from '../support/api.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';

let network: SharedNetwork;
let alice: SignedIn;
/** Has no scope but openid. */
let unscoped: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application);
  unscoped = await personWithToken(network, application, 'openid');
});

const commonHeadersOf = ({ headers }: Answer) =>
  ['revision', 'incarnation', 'witness-epoch', 'actor-id', 'app-id', 'grant-id', 'scopes'].filter(
    (name) => headers.get(`x-network-${name}`) !== null,
  );

const UNREACHABLE_REVISION = { 'x-network-min-revision': '999999999999' };
const FOREIGN_CURSOR = 'AAAAAAAAAAAAAAAAAAAAADE1LjE1';

describe('a refused read', () => {
  it.each([
    [404, '/api/actors/nobody', {}],
    [404, '/api/actors/nobody/following', {}],
    [404, '/api/posts/none', {}],
    [404, '/api/posts/none/replies', {}],
    [400, '/api/timeline?cursor=abc', {}],
    [400, `/api/timeline?cursor=${FOREIGN_CURSOR}`, {}],
    [503, '/api/profile', UNREACHABLE_REVISION],
  ])('after its admission has the seven common headers: %d %s', async (status, path, headers) => {
    const refused = await alice.get(path, headers);
    expect(refused.status).toBe(status);
    expect(commonHeadersOf(refused)).toHaveLength(7);
    expect(refused.headers.get('x-network-actor-id')).toBe(alice.actorId);
    const { headers: now } = await alice.get('/api/session');
    expect(refused.headers.get('x-network-incarnation')).toBe(now.get('x-network-incarnation'));
  });

  it('of an anonymous caller has the three common headers that name no caller', async () => {
    const refused = await send(network.baseUrl, 'GET', '/api/actors/nobody');
    expect(refused.status).toBe(404);
    expect(commonHeadersOf(refused)).toEqual(['revision', 'incarnation', 'witness-epoch']);
  });

  it('before its admission has none of the common headers [header-revision]', async () => {
    const unknown = { authorization: 'Bearer unknown' };
    const refused = [
      await send(network.baseUrl, 'GET', '/api/profile'),
      await send(network.baseUrl, 'GET', '/api/actors/nobody', { headers: unknown }),
      await unscoped.get('/api/profile'),
      await alice.get('/api/profile', { 'x-network-min-revision': 'soon' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 403, 400]);
    expect(refused.flatMap(commonHeadersOf)).toEqual([]);
  });
});

it('a mutation has none of the common headers of reads, successful or refused [header-revision]', async () => {
  const answers = [await alice.say('words'), await alice.say(''), await unscoped.say('words')];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 403]);
  expect(answers.flatMap(commonHeadersOf)).toEqual([]);
});

describe('a request with an unknown token', () => {
  it.each([
    ['POST', '/api/intents/lookup', '{"intentIds":[0]}', 400, 'intent_required'],
    ['GET', '/api/reconcile?cursor=x', undefined, 400, 'invalid_cursor'],
    ['GET', '/api/events?cursor=x', undefined, 400, 'invalid_cursor'],
    ['GET', '/api/timeline?cursor=x', undefined, 401, 'invalid_token'],
    ['POST', '/api/posts', '{"intentId":0}', 401, 'invalid_token'],
    ['POST', '/api/posts', 'no JSON', 400, 'invalid_json'],
  ] as const)(
    'is refused first for what needs no lookup: %s %s %s: %d',
    async (method, path, body, status, error) => {
      const headers = { authorization: 'Bearer unknown' };
      const refused = await send(network.baseUrl, method, path, { body, headers });
      expect([refused.status, refused.body.error]).toEqual([status, error]);
    },
  );
});

describe('a request without a needed credential', () => {
  it.each([
    ['GET', '/api/relations?cursor=abc', undefined],
    ['GET', '/api/relations?cursor=a&cursor=b', undefined],
    ['GET', '/api/inbox?cursor=abc', undefined],
    ['POST', '/api/intents/lookup', '{"intentIds":'],
    ['POST', '/api/intents/lookup', '{"intentIds":[]}'],
    ['POST', '/api/posts', 'no JSON'],
    ['PUT', '/api/relations/like/p1', '[]'],
  ] as const)(
    'is refused for that before any other fault: %s %s [relations-bearer]',
    async (method, path, body) => {
      const refused = await send(network.baseUrl, method, path, { body });
      expect([refused.status, refused.body.error]).toEqual([401, 'authentication_required']);
    },
  );

  it('is refused for that as a HEAD, too', async () => {
    expect((await send(network.baseUrl, 'HEAD', '/api/timeline?cursor=abc')).status).toBe(401);
  });
});
