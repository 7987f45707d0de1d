import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { operationsOf } from '../../src/http/openapi/openapi.js';
import type { OpenApi } from '../../src/http/openapi/openapi.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { registerApplication, send, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { requestsOf } from './requests.js';
import type { FuzzRequest } from './requests.js';

const REQUESTS = 10_000;
const AT_ONCE = 16;
const SEED = 20_261_121;

let network: TestNetwork;
let people: SignedIn[];
let requests: FuzzRequest[];
/** Operations of applications: those of the authorization server need more than a token. */
let social: string[];

beforeAll(async () => {
  network = await startNetwork({ RATE_LIMITS: 'off' });
  const application = await registerApplication(network);
  const everything = allScopes.filter((scope) => scope !== 'offline_access').join(' ');
  people = [await signIn(network, application, everything), await signIn(network, application, everything)];
  const limited = await signIn(network, application, 'openid');
  // As many as that: they are deleted on the way.
  const said = await Promise.all(
    Array.from(
      { length: 60 },
      (_, n) => people[n % 2]?.say(`number ${n}`) ?? Promise.reject(new Error('nobody')),
    ),
  );
  const actors = people.map(({ actorId }) => actorId);
  const posts = said.map(({ body }) => String(body.post.id));
  const { body } = await send(network.baseUrl, 'GET', '/api/openapi.json');
  const document = body as OpenApi;
  social = operationsOf(document)
    .filter(({ path }) => path.startsWith('/api/') && !path.startsWith('/api/auth/'))
    .map(({ operation }) => operation.operationId);
  const sampled = requestsOf(document, {
    likely: {
      id: posts,
      parentId: posts,
      postId: posts,
      actorId: actors,
      targetId: [...actors, ...posts],
      audience: ['public'],
      kind: ['follow', 'like'],
      revision: [1, 2, 3],
      text: ['hello', 'hello @nobody', 'x'.repeat(2_001)],
      website: ['', 'https://example.org/', 'javascript:alert(1)'],
      'x-network-min-revision': ['0', '1', 'x'],
    },
    authorizations: [
      ...people.flatMap(({ token }) => Array.from({ length: 4 }, () => `Bearer ${token}`)),
      `Bearer ${limited.token}`,
      'Bearer nobody',
      'Basic bm9ib2R5Og==',
      undefined,
    ],
  });
  requests = fc.sample(sampled, { seed: SEED, numRuns: REQUESTS });
});

afterAll(() => network?.stop());

describe(`${REQUESTS} requests of which many are wrong`, () => {
  it('are answered as the document says, none with 500, and each operation some with 200', async () => {
    const waiting = requests.values();
    const statuses = new Map<number, number>();
    const refusals = new Set<string>();
    const succeeded = new Set<string>();
    const sender = async (): Promise<void> => {
      for (const { operationId, method, path, headers, body } of waiting) {
        const withBody = body !== undefined && method !== 'GET';
        const answer = await send(network.baseUrl, method, path, { headers, ...(withBody && { body }) });
        const { status } = answer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) succeeded.add(operationId);
        // Whoever asks for a revision that is to come is told to wait; nothing else is to be away.
        if (status === 503 && headers['x-network-min-revision'] === undefined)
          refusals.add(`${operationId} ${answer.body.error}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    expect(statuses.get(500)).toBeUndefined();
    expect([...refusals]).toEqual([]);
    expect(network.output()).not.toContain('unforeseen failure');
    expect(social.filter((operation) => !succeeded.has(operation))).toEqual([]);
  });
});
