import { randomUUID } from 'node:crypto';
import type { EventLog } from '../src/log/event-log.js';
import { load } from './load.js';
import type { Measured } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { percentiles } from './percentiles.js';
import type { Percentiles } from './percentiles.js';
import { newReader } from './reads/reader.js';
import { shown } from './reads/seed.js';
import { numbered, Society } from './society.js';
import { withStores } from './stores-of-network.js';

/** Sequential posts of an author with {@link FOLLOWERS} on an otherwise idle network. */
interface Publishing {
  readonly acknowledged: Percentiles;
  readonly acknowledgedToFollower: Percentiles;
  readonly reads: Measured;
}

export interface TimelineBench {
  readonly fannedOut: Publishing;
  /** With a threshold of 0: timelines merge posts at read time. */
  readonly merged: Publishing;
}

const FOLLOWERS = 400;
const POSTS = 200;
const READS = 3_200;

export async function benchTimeline(): Promise<TimelineBench> {
  return { fannedOut: await benchPublishing('500'), merged: await benchPublishing('0') };
}

function benchPublishing(threshold: string): Promise<Publishing> {
  return withDataDir(async (dataDir) => {
    const settings = { RATE_LIMITS: 'off', FAN_OUT_THRESHOLD: threshold };
    const network = await startNetwork(dataDir, undefined, settings);
    try {
      return await measure(network);
    } finally {
      await network.stop();
    }
  });
}

async function measure(network: BenchNetwork): Promise<Publishing> {
  const [author, follower] = [await newReader(network), await newReader(network)];
  await withStores(network, async (log, pool) => {
    await follow(log, author.actorId, follower.actorId);
    await shown(log, pool);
  });
  const [writing, reading] = [await author.token(), await follower.token()];
  const acknowledged: number[] = [];
  const seen: number[] = [];
  for (let n = 0; n < POSTS; n++) {
    const begun = performance.now();
    const id = await post(network.baseUrl, writing);
    const acknowledgedAt = performance.now();
    while ((await newest(network.baseUrl, reading)) !== id);
    acknowledged.push(acknowledgedAt - begun);
    seen.push(performance.now() - acknowledgedAt);
  }
  const request = { path: '/api/timeline', method: 'GET', headers: bearer(reading) } as const;
  const readers = Array.from({ length: 16 }, () => ({ first: request }));
  const plaza = { url: network.baseUrl, pid: network.run.pids.api ?? 0 };
  return {
    acknowledged: percentiles(acknowledged),
    acknowledgedToFollower: percentiles(seen),
    reads: await load(plaza, readers, READS, 200),
  };
}

/** Everyone follows the author. The measured follower also follows fifty others with posts. */
async function follow(log: EventLog, authorId: string, followerId: string) {
  const society = new Society(log);
  const people = numbered('follower', FOLLOWERS - 1);
  await society.application('bench');
  await society.people(people);
  await society.follows([...people, followerId].map((actorId) => ({ actorId, targetId: authorId })));
  const followed = people.slice(0, 50);
  await society.follows(followed.map((targetId) => ({ actorId: followerId, targetId })));
  await society.posts(
    followed.flatMap((authorActorId, n) =>
      numbered(`by${n}post`, 20).map((postId) => ({ postId, authorActorId })),
    ),
  );
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function post(baseUrl: string, token: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/posts`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify({ intentId: randomUUID(), text: 'A post of a benchmark', audience: 'public' }),
  });
  const answer = (await response.json()) as { post: { id: string } };
  return answer.post.id;
}

async function newest(baseUrl: string, token: string): Promise<string | undefined> {
  const response = await fetch(`${baseUrl}/api/timeline`, { headers: bearer(token) });
  const { posts } = (await response.json()) as { posts: { id: string }[] };
  return posts[0]?.id;
}
