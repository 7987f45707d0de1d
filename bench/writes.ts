import { randomUUID } from 'node:crypto';
import { measureAppends } from '@plaza/event-store/testing';
import { freePort } from '../src/launch/free-port.js';
import type { EventLog } from '../src/log/event-log.js';
import { cpuOfEach, networkCpuMs } from './cpu.js';
import type { CpuMs } from './cpu.js';
import type { Effort } from './effort.js';
import { load, rounded } from './load.js';
import type { Connection, Sending } from './load.js';
import { startFurtherApi, startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { newReader } from './reads/reader.js';
import { postBody } from './post-body.js';
import { shown } from './reads/seed.js';
import { numbered, Society } from './society.js';
import { withStores } from './stores-of-network.js';

/** CPU for a write, of all processes and of each. */
interface Cpu {
  readonly cpuMs: number;
  readonly cpuMsOf: CpuMs;
}

interface WriteFigures extends Cpu {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Writes for each batch of the worker. */
  readonly aBatch: number;
  /** As many a second as of bare appends with the same concurrency. */
  readonly ratio: number;
  /** At an API with limits, which refuse none of so many people. */
  readonly limited?: Cpu;
}

export const kinds = ['post', 'follow', 'like', 'reply'] as const;
type Kind = (typeof kinds)[number];

export type WritesBench = Readonly<
  Record<number, { readonly appends: number } & { readonly [Each in Kind]?: WriteFigures }>
>;

const whole = { posts: 20_000, connections: [16, 64], requests: 3_200, warmUp: 800 };
const quickly = { posts: 2_000, connections: [16], requests: 800, warmUp: 200 };
const FLOOR_SECONDS = 4;
/** People who write: so many that no limit refuses one of them. They have followers. */
const WRITERS = 64;
const [ACTORS, FOLLOWERS] = [2_000, 30];

/** Writes that are visible to their writer on acknowledgment, with followers. */
export function benchWrites({ quick, only, settings }: Effort): Promise<WritesBench> {
  const { posts, connections: counts, requests, warmUp } = quick ? quickly : whole;
  return withDataDir(async (dataDir) => {
    const METRICS_PORT = String(await freePort());
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off', METRICS_PORT, ...settings });
    let limited: BenchNetwork | undefined;
    try {
      const writers = await Promise.all(Array.from({ length: WRITERS }, () => newReader(network)));
      const actorIds = writers.map(({ actorId }) => actorId);
      await withStores(network, async (log, pool) => {
        await seed(log, actorIds, posts);
        await shown(log, pool);
      });
      limited = only === undefined ? await startFurtherApi(network, { RATE_LIMITS: 'on' }) : undefined;
      const send = new Sendings(new URL(network.baseUrl).host, posts);
      const url = network.run.settings['EVENTSTORE_URL'] ?? '';
      const results: Record<number, WritesBench[number]> = {};
      for (const connections of counts) {
        send.tokens = await Promise.all(writers.map((writer) => writer.token()));
        const { appendsPerSecond } = await measureAppends(url, connections, FLOOR_SECONDS, 1);
        const measured = async (on: BenchNetwork, kind: Kind) => {
          const target = { url: on.baseUrl, pid: on.run.pids.api ?? 0 };
          const run = (amount: number) => load(target, send.from(kind, connections), amount, 200);
          await run(warmUp);
          const [batches, before] = [await servingBatches(on), networkCpuMs(on)];
          const { perSecond, p50Ms, p99Ms } = await run(requests);
          const cpu = cpuOfEach(before, networkCpuMs(on), requests);
          const aBatch = rounded(requests / ((await servingBatches(on)) - batches));
          return { perSecond, p50Ms, p99Ms, aBatch, ...cpu, ratio: rounded(perSecond / appendsPerSecond) };
        };
        const figures: Partial<Record<Kind, WriteFigures>> = {};
        for (const kind of kinds.filter((name) => only === undefined || name === only)) {
          const unlimited = await measured(network, kind);
          // The quotas are for one count of connections.
          const other = connections === counts[0] && limited ? await measured(limited, kind) : undefined;
          figures[kind] = {
            ...unlimited,
            ...(other && { limited: { cpuMs: other.cpuMs, cpuMsOf: other.cpuMsOf } }),
          };
        }
        results[connections] = { appends: appendsPerSecond, ...figures };
      }
      return results;
    } finally {
      await limited?.stop();
      await network.stop();
    }
  });
}

async function servingBatches({ run }: BenchNetwork): Promise<number> {
  const response = await fetch(`http://localhost:${run.settings['METRICS_PORT']}/metrics`);
  const counted = /^plaza_projection_batch_duration_seconds_count\{group="serving",outcome="done"\} (\d+)$/m;
  const count = counted.exec(await response.text())?.[1];
  if (count === undefined) throw new Error('the worker has no metric of the batches of its serving group');
  return Number(count);
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
  /** They live for five minutes. */
  tokens: readonly string[] = [];
  private readonly sent = { post: 0, follow: 0, like: 0, reply: 0 };

  /** `host`: the name that every API of the network demands. */
  constructor(
    private readonly host: string,
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
    // Those who write at the same time do not act on the same.
    const target = Math.floor(n / this.tokens.length) + (n % this.tokens.length);
    const headers = { host: this.host, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const put = (path: string, most: number): Sending => {
      if (target >= most) throw new Error(`everybody has done every ${kind}`);
      return { method: 'PUT', path, headers, body: JSON.stringify({ intentId: randomUUID() }) };
    };
    // A follow of a follower is dearer.
    if (kind === 'follow') return put(`/api/relations/follow/actor${FOLLOWERS + target}`, ACTORS - FOLLOWERS);
    if (kind === 'like') return put(`/api/relations/like/post${target}`, this.posts);
    const parentId = kind === 'reply' ? `post${n % this.posts}` : undefined;
    return { method: 'POST', path: '/api/posts', headers, body: postBody(parentId) };
  }
}
