import { randomUUID } from 'node:crypto';
import { measureAppends } from '@plaza/event-store/testing';
import type { EventLog } from '../src/log/event-log.js';
import { cpuOfEach, networkCpuMs } from './cpu.js';
import type { CpuMs } from './cpu.js';
import type { Effort } from './effort.js';
import { load, rounded } from './load.js';
import type { Connection, Sending } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import { newReader } from './reads/reader.js';
import { postBody } from './post-body.js';
import { shown } from './reads/seed.js';
import { numbered, Society } from './society.js';
import { withStores } from './stores-of-network.js';

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

export const kinds = ['post', 'follow', 'like', 'reply'] as const;
type Kind = (typeof kinds)[number];

export type WritesBench = Readonly<
  Record<number, { readonly appends: number } & { readonly [Each in Kind]?: WriteFigures }>
>;

const whole = { posts: 20_000, connections: [16, 64], requests: 3_200, warmUp: 800 };
const quickly = { posts: 2_000, connections: [16], requests: 800, warmUp: 200 };
const FLOOR_SECONDS = 4;
/** People who write. They have followers, and nobody has written anything but them and the actors. */
const WRITERS = 8;
const [ACTORS, FOLLOWERS] = [2_000, 30];

/** Writes that are visible to their writer on acknowledgment, with followers and without limits. */
export function benchWrites({ quick, only, settings }: Effort): Promise<WritesBench> {
  const { posts, connections: counts, requests, warmUp } = quick ? quickly : whole;
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off', ...settings });
    try {
      const writers = await Promise.all(Array.from({ length: WRITERS }, () => newReader(network)));
      const actorIds = writers.map(({ actorId }) => actorId);
      await withStores(network, async (log, pool) => {
        await seed(log, actorIds, posts);
        await shown(log, pool);
      });
      const send = new Sendings(await Promise.all(writers.map((writer) => writer.token())), posts);
      const url = network.run.settings['EVENTSTORE_URL'] ?? '';
      const results: Record<number, WritesBench[number]> = {};
      for (const connections of counts) {
        const { appendsPerSecond } = await measureAppends(url, connections, FLOOR_SECONDS, 1);
        const measured = async (kind: Kind) => {
          const target = { url: network.baseUrl, pid: network.run.pids.api ?? 0 };
          const run = (amount: number) => load(target, send.from(kind, connections), amount, 200);
          await run(warmUp);
          const before = networkCpuMs(network);
          const { perSecond, p50Ms, p99Ms } = await run(requests);
          const cpu = cpuOfEach(before, networkCpuMs(network), requests);
          return { perSecond, p50Ms, p99Ms, ...cpu, ratio: rounded(perSecond / appendsPerSecond) };
        };
        const figures: Partial<Record<Kind, WriteFigures>> = {};
        for (const kind of kinds.filter((name) => only === undefined || name === only))
          figures[kind] = await measured(kind);
        results[connections] = { appends: appendsPerSecond, ...figures };
      }
      return results;
    } finally {
      await network.stop();
    }
  });
}

async function seed(log: EventLog, writers: readonly string[], posts: number): Promise<void> {
  const society = new Society(log);
  const actors = numbered('actor', ACTORS);
  await society.application('bench');
  await society.people(actors);
  await society.posts(
    numbered('post', posts).map((postId, n) => ({ postId, authorActorId: actors[n % ACTORS] ?? '' })),
  );
  const followers = actors.slice(0, FOLLOWERS);
  await society.follows(writers.flatMap((targetId) => followers.map((actorId) => ({ actorId, targetId }))));
}

/** Requests that each change something: no pair is followed twice, no post is liked twice by the same person. */
class Sendings {
  private readonly sent = { post: 0, follow: 0, like: 0, reply: 0 };

  constructor(
    private readonly tokens: readonly string[],
    private readonly posts: number,
  ) {}

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
    if (kind === 'like') return put(`/api/relations/like/post${target}`, this.posts);
    const parentId = kind === 'reply' ? `post${n % this.posts}` : undefined;
    return { method: 'POST', path: '/api/posts', headers, body: postBody(parentId) };
  }
}
