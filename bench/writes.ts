import { randomUUID } from 'node:crypto';
import { measureAppends } from '@plaza/event-store/testing';
import { openLog } from '../src/log/open-log.js';
import { openReadStore } from '../src/base/store/database.js';
import { load, rounded } from './load.js';
import type { Connection, Sending } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { newReader } from './reads/reader.js';
import { shown } from './reads/seed.js';
import { numbered, Society } from './society.js';
import { cpuMsOf, PROCESSES } from './writes/network-cpu.js';
import type { CpuMs } from './writes/network-cpu.js';

interface WriteFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU for a write, of all processes and of each. */
  readonly cpuMs: number;
  readonly cpuMsOf: CpuMs;
  /** As many a second as of bare appends with the same concurrency. */
  readonly ratio: number;
}

type Kind = 'post' | 'follow' | 'like' | 'reply';

export type WritesBench = Readonly<Record<number, { readonly appends: number } & Record<Kind, WriteFigures>>>;

const CONNECTIONS = [16, 64];
const REQUESTS = 3_200;
const WARM_UP = 800;
const FLOOR_SECONDS = 4;
/** People who write. They have followers, and nobody has written anything but them and the actors. */
const WRITERS = 8;
const [ACTORS, FOLLOWERS, POSTS] = [2_000, 30, 20_000];

/** Writes that are visible to their writer on acknowledgment, with followers and without limits. */
export function benchWrites(): Promise<WritesBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    try {
      const writers = await Promise.all(Array.from({ length: WRITERS }, () => newReader(network)));
      await seed(
        network,
        writers.map(({ actorId }) => actorId),
      );
      const send = new Sendings(await Promise.all(writers.map((writer) => writer.token())));
      const url = network.run.settings['EVENTSTORE_URL'] ?? '';
      const results: Record<number, WritesBench[number]> = {};
      for (const connections of CONNECTIONS) {
        const { appendsPerSecond } = await measureAppends(url, connections, FLOOR_SECONDS, 1);
        const measured = async (kind: Kind) => {
          const target = { url: network.baseUrl, pid: network.run.pids.api ?? 0 };
          const run = (amount: number) => load(target, send.from(kind, connections), amount, 200);
          await run(WARM_UP);
          const before = cpuMsOf(network);
          const { perSecond, p50Ms, p99Ms } = await run(REQUESTS);
          const after = cpuMsOf(network);
          const of = Object.fromEntries(
            PROCESSES.map((name) => [name, rounded((after[name] - before[name]) / REQUESTS)]),
          ) as CpuMs;
          const cpuMs = rounded(PROCESSES.reduce((sum, name) => sum + of[name], 0));
          return {
            perSecond,
            p50Ms,
            p99Ms,
            cpuMs,
            cpuMsOf: of,
            ratio: rounded(perSecond / appendsPerSecond),
          };
        };
        results[connections] = {
          appends: appendsPerSecond,
          post: await measured('post'),
          follow: await measured('follow'),
          like: await measured('like'),
          reply: await measured('reply'),
        };
      }
      return results;
    } finally {
      await network.stop();
    }
  });
}

async function seed({ run }: BenchNetwork, writers: readonly string[]): Promise<void> {
  const {
    EVENTSTORE_URL: eventStoreUrl = '',
    VAULT_DATABASE_URL: vaultDatabaseUrl = '',
    DATABASE_URL: url = '',
  } = run.settings;
  const database = await openReadStore({ url, applicationName: 'bench', maxConnections: 2 });
  const opened = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'bench' });
  const society = new Society(opened.log);
  const actors = numbered('actor', ACTORS);
  await society.application('bench');
  await society.people(actors);
  await society.posts(
    numbered('post', POSTS).map((postId, n) => ({ postId, authorActorId: actors[n % ACTORS] ?? '' })),
  );
  const followers = actors.slice(0, FOLLOWERS);
  await society.follows(writers.flatMap((targetId) => followers.map((actorId) => ({ actorId, targetId }))));
  await shown(opened.log, database.pool);
  await opened.close();
  await database.close();
}

/** Requests that each change something: no pair is followed twice, no post is liked twice by the same person. */
class Sendings {
  private readonly sent = { post: 0, follow: 0, like: 0, reply: 0 };

  constructor(private readonly tokens: readonly string[]) {}

  from(kind: Kind, connections: number): Connection[] {
    return Array.from({ length: connections }, () => ({
      first: this.next(kind),
      next: () => this.next(kind),
    }));
  }

  private next(kind: Kind): Sending {
    const n = this.sent[kind]++;
    const token = this.tokens[n % this.tokens.length];
    const target = Math.floor(n / this.tokens.length);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const put = (path: string, most: number): Sending => {
      if (target >= most) throw new Error(`everybody has done every ${kind}`);
      return { method: 'PUT', path, headers, body: JSON.stringify({ intentId: randomUUID() }) };
    };
    if (kind === 'follow') return put(`/api/relations/follow/actor${target}`, ACTORS);
    if (kind === 'like') return put(`/api/relations/like/post${target}`, POSTS);
    const text = 'A post of a benchmark, about as long as what a person writes without thinking twice.';
    const parentId = kind === 'reply' ? `post${n % POSTS}` : undefined;
    const body = JSON.stringify({ intentId: randomUUID(), text, audience: 'public', parentId });
    return { method: 'POST', path: '/api/posts', headers, body };
  }
}
