import { randomBytes, randomUUID } from 'node:crypto';
import { measureAppends } from '@plaza/event-store/testing';
import autocannon from 'autocannon';
import { operatorOf } from './operator.js';
import { signIn } from '../src/programs/demo/sign-in.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';

export interface PostsBench {
  readonly connections: number;
  /** Durable, and visible to the writer on acknowledgment. */
  readonly postsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Floor: durable appends of a bare client to the same event store, with the same concurrency. */
  readonly appendsPerSecond: number;
  readonly ratio: number;
}

export function benchPosts(connections = 16, seconds = 8): Promise<PostsBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    try {
      const token = await tokenOf(network);
      await load(network.baseUrl, token, connections, 3);
      const result = await load(network.baseUrl, token, connections, seconds);
      const url = network.run.settings['EVENTSTORE_URL'] ?? '';
      const { appendsPerSecond } = await measureAppends(url, connections, seconds, 1);
      const postsPerSecond = Math.round(result['2xx'] / result.duration);
      return {
        connections,
        postsPerSecond,
        p50Ms: result.latency.p50,
        p99Ms: result.latency.p99,
        appendsPerSecond,
        ratio: Number((postsPerSecond / appendsPerSecond).toFixed(2)),
      };
    } finally {
      await network.stop();
    }
  });
}

async function load(baseUrl: string, token: string, connections: number, duration: number) {
  const result = await autocannon({
    url: `${baseUrl}/api/posts`,
    connections,
    duration,
    requests: [
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        setupRequest: (request) => ({
          ...request,
          body: JSON.stringify({ intentId: randomUUID(), text: 'A post of a benchmark', audience: 'public' }),
        }),
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} requests were refused, ${result.errors} failed`);
  return result;
}

async function tokenOf({ baseUrl, run }: BenchNetwork): Promise<string> {
  const redirectUri = 'http://localhost:8910/callback';
  const scope = 'openid read post:create';
  const person = { handle: `b_${randomBytes(6).toString('hex')}`, password: randomUUID() };
  const operator = operatorOf(run.settings);
  const application = await operator.call('POST /operator/applications', {
    name: 'Benchmark',
    redirectUris: [redirectUri],
    scopes: scope.split(' '),
  });
  await operator.call('POST /operator/accounts', {
    ...person,
    displayName: 'B',
    email: `${person.handle}@example.org`,
  });
  const tokens = await signIn(baseUrl, { ...application, ...person, redirectUri, scope });
  return tokens.access_token;
}
