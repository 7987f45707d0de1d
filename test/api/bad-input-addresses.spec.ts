import { once } from 'node:events';
import { METHODS, request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import {
  sendRequest,
  everyScope,
  mutations,
  operations,
  requestOf,
  outcomeOf,
  createFixtures,
} from './support/operations.js';
import type { Operation, Fixtures } from './support/operations.js';

let network: SharedNetwork;
let world: Fixtures;

beforeAll(async () => {
  network = await sharedNetwork();
  const application = await registerApplication(network);
  const scopes = everyScope.join(' ');
  const [alice, bob] = [
    await personWithToken(network, application, scopes),
    await personWithToken(network, application, scopes),
  ];
  world = await createFixtures(network.baseUrl, alice, bob);
});

type Outcome = readonly [status: number, code: string | undefined];

/** Sends headers unchanged and as often as they are given, which `fetch` does not do. */
async function sendRaw(
  operation: Operation,
  more: readonly (readonly [string, string])[],
  { host = new URL(network.baseUrl).host }: { host?: string } = {},
): Promise<Outcome> {
  const { method, path, query, body, by } = requestOf(operation, world);
  const headers = [
    ['host', host],
    ['authorization', `Bearer ${by}`],
    ['connection', 'close'],
    ...(body === undefined
      ? []
      : [
          ['content-type', 'application/json'],
          ['transfer-encoding', 'chunked'],
        ]),
    ...more,
  ];
  const sent = httpRequest({
    host: '127.0.0.1',
    port: new URL(network.baseUrl).port,
    method,
    path: `${path}?${new URLSearchParams(query).toString()}`,
    headers: headers.flat(),
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const answer = (await json(response)) as { error?: string };
  return [response.statusCode, answer.error];
}

async function outcomesOfAll(sendOne: (operation: Operation) => Promise<Outcome>): Promise<string[]> {
  const answers = operations.map(
    async (operation) => `${operation.id}: ${(await sendOne(operation)).join(' ')}`,
  );
  return Promise.all(answers);
}

const expectedOfAll = (status: number, code: string) =>
  operations.map(({ id }) => `${id}: ${status} ${code}`);

describe('every operation', () => {
  it.each(['evil.example', '127.0.0.1', 'localhost', '', 'LOCALHOST.', 'user@localhost'])(
    'is refused at a foreign host: %j [origin-urls]',
    async (host) => {
      expect(await outcomesOfAll((operation) => sendRaw(operation, [], { host }))).toEqual(
        expectedOfAll(403, 'origin_mismatch'),
      );
    },
  );

  it.each([
    ['another site', () => ['https://evil.example']],
    ['the application’s own site', () => ['https://pebble.example']],
    ['the origin null', () => ['null']],
    ['an empty origin', () => ['']],
    ['the network’s origin with a path', () => [`${network.baseUrl}/`]],
    ['two origins', () => [network.baseUrl, network.baseUrl]],
  ])('is refused from a foreign origin: %s [origin-rule, posts-origin]', async (_name, origins) => {
    const headers = origins().map((origin) => ['origin', origin] as const);
    expect(await outcomesOfAll((operation) => sendRaw(operation, headers))).toEqual(
      expectedOfAll(403, 'origin_mismatch'),
    );
  });

  it('is refused with two credentials, even if both are valid', async () => {
    const again = [['authorization', `Bearer ${world.alice.token}`]] as const;
    expect(await outcomesOfAll((operation) => sendRaw(operation, again))).toEqual(
      expectedOfAll(400, 'invalid_request'),
    );
  });

  it('is refused with two Host headers', async () => {
    const again = [['host', new URL(network.baseUrl).host]] as const;
    expect(await outcomesOfAll((operation) => sendRaw(operation, again))).toEqual(
      expectedOfAll(403, 'origin_mismatch'),
    );
  });

  it('is refused with two Content-Type headers', async () => {
    const bodies = operations.filter(({ body }) => body);
    const again = [['content-type', 'application/json']] as const;
    const answers = await Promise.all(
      bodies.map(async (operation) => `${operation.id}: ${(await sendRaw(operation, again)).join(' ')}`),
    );
    expect(answers).toEqual(bodies.map(({ id }) => `${id}: 400 invalid_request`));
  });

  it.each(['', 'soon', '-1', '+1', '1.5', '1e3', '0x1', '9'.repeat(20), '1, 1'])(
    'that reads is refused with a malformed minimum revision: %j',
    async (revision) => {
      const reads = operations.filter(({ method }) => method === 'GET');
      const headers = { 'x-network-min-revision': revision };
      const answers = reads.map(async (operation) => [
        operation.id,
        ...outcomeOf(await sendRequest(world, { ...requestOf(operation, world), headers })),
      ]);
      expect(await Promise.all(answers)).toEqual(reads.map(({ id }) => [id, 400, 'invalid_request']));
    },
  );
});

describe('a path', () => {
  const paths = [...new Set(operations.map(({ path }) => path))];
  const methodsOf = (path: string): string[] =>
    operations.filter((operation) => operation.path === path).map(({ method }) => method);

  it.each(paths)('refuses every unpublished method with 405: %s', async (path) => {
    const allowed = new Set(
      methodsOf(path.replace('{own}', '{theirs}')).concat(methodsOf(path.replace('{theirs}', '{own}'))),
    );
    if (allowed.has('GET')) allowed.add('HEAD');
    const others = METHODS.filter((method) => !allowed.has(method) && method !== 'CONNECT');
    const operation = operations.find((candidate) => candidate.path === path);
    if (!operation) throw new Error(`nothing is at ${path}`);
    const { path: filled, by } = requestOf(operation, world);
    for (const method of others) {
      const sent = httpRequest(`${network.baseUrl}${filled}`, {
        method,
        headers: { authorization: `Bearer ${by}`, connection: 'close' },
      }).end();
      const [response] = await once(sent, 'response');
      response.resume();
      expect([method, response.statusCode, response.headers.allow]).toEqual([
        method,
        405,
        [...allowed].sort().join(', '),
      ]);
    }
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const { body, status, headers } = await sendRequest(world, {
        ...requestOf(operation, world),
        method: 'HEAD',
      });
      expect([operation.id, status, body]).toEqual([operation.id, 200, undefined]);
      expect(headers.get('x-network-actor-id')).toBe(world.alice.actorId);
    }
  });
});

describe('a path with an id that does not exist', () => {
  const long = ['x'.repeat(65), 'x'.repeat(10_000)];
  const odd = ['%00', 'a%20b', '%F0%9F%98%80', '%27%3B--', 'a%2Fb', '%EF%BB%BF', '*', '%25', '%3Fx'];
  const possible = ['nobody', '__proto__', 'constructor'];
  const names = [...possible, ...odd, ...long];
  const named = operations.filter(({ unknown }) => unknown);

  /** What ends a relation works for every id that anything can have, and for no other. */
  it.each(named)('is answered alike by $id for every id', async (operation) => {
    const { path } = operation;
    const answers = names.map(async (name) => {
      const elsewhere = requestOf({ ...operation, path: path.replace(/\{\w+\}/, name) }, world);
      return [name, outcomeOf(await sendRequest(world, elsewhere))];
    });
    const outcomeAt = (name: string) =>
      operation.unknown?.[0] === 200 && !possible.includes(name) ? [404, 'not_found'] : operation.unknown;
    expect(await Promise.all(answers)).toEqual(names.map((name) => [name, outcomeAt(name)]));
  });

  it.each(named)('is refused by $id if the id is not valid UTF-8', async (operation) => {
    for (const name of ['%ZZ', '%', '%FF', '%C0%80', '%ED%A0%80']) {
      const path = operation.path.replace(/\{\w+\}/, name);
      const answer = await sendRequest(world, requestOf({ ...operation, path }, world));
      expect([name, ...outcomeOf(answer)]).toEqual([name, 400, 'invalid_request']);
    }
  });

  it.each(['', 'Follow', 'likes', 'block', '__proto__', 'constructor', '%00', 'x'.repeat(10_000)])(
    'is not found for the relation kind %j',
    async (kind) => {
      for (const operation of operations.filter(({ path }) => path.includes('/follow/'))) {
        const path = operation.path.replace('follow', kind);
        expect(outcomeOf(await sendRequest(world, requestOf({ ...operation, path }, world)))).toEqual([
          404,
          'not_found',
        ]);
      }
    },
  );
});

describe('the query', () => {
  const reads = operations.filter(({ method }) => method === 'GET');
  const inQuery = mutations.filter(({ query }) => query);

  it.each(reads)('of $id may have unknown parameters', async (operation) => {
    const request = requestOf(operation, world);
    for (const more of [
      'x=1',
      'x=1&x=2',
      '__proto__=1',
      'toString=1',
      'intentId=1',
      '=',
      '&&',
      '%ZZ=1',
      'x=%FF',
    ])
      expect([more, ...outcomeOf(await sendRequest(world, request, more))]).toEqual([more, 200, undefined]);
  });

  it.each(inQuery)('of $id may not have unknown parameters', async (operation) => {
    const request = requestOf(operation, world);
    for (const more of ['x=1', 'x=1&x=2', '__proto__=1', 'toString=1', 'constructor=1', 'IntentId=1'])
      expect([more, ...outcomeOf(await sendRequest(world, request, more))]).toEqual([
        more,
        400,
        'unknown_or_immutable_field',
      ]);
  });

  const wrong = {
    intentId: { code: 'intent_required', values: ['', 'a b', 'é', '\u0000', '\ufffd', 'x'.repeat(129)] },
    revision: {
      code: 'revision_required',
      values: ['', '0', '-1', '1.5', '1e3', '01', ' 1', 'abc', '9'.repeat(16)],
    },
  };
  it.each(inQuery)('of $id is refused with the code of its malformed parameter', async (operation) => {
    const request = requestOf(operation, world);
    for (const [name, { code, values }] of Object.entries(wrong).filter(
      ([known]) => known in request.query,
    )) {
      const { [name]: value = '', ...others } = request.query;
      expect(outcomeOf(await sendRequest(world, { ...request, query: others }))).toEqual([400, code]);
      expect(outcomeOf(await sendRequest(world, request, `${name}=${value}`))).toEqual([400, code]);
      for (const other of values) {
        const query = { ...request.query, [name]: other };
        expect([other, ...outcomeOf(await sendRequest(world, { ...request, query }))]).toEqual([
          other,
          400,
          code,
        ]);
      }
    }
  });
});
