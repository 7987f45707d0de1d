import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startFloor } from './floor.js';
import type { Floor } from './floor.js';
import { rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { operatorOf } from './operator.js';
import type { Offer, Offered } from './overload/driver.js';
import { postBody } from './post-body.js';
import { newReader } from './reads/reader.js';
import type { Reader } from './reads/reader.js';
import { shown } from './reads/seed.js';
import { settled } from './settled.js';
import { numbered, Society } from './society.js';
import { withStores } from './stores-of-network.js';

/** Posts of others, timed from the moment at which each was due. */
interface Others {
  readonly quietP50Ms: number;
  readonly quietP99Ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Their p99 as a multiple of the one just before the act. */
  readonly ratio: number;
  /** Until the act itself was answered. */
  readonly actMs: number;
}

type ActsOn = Readonly<Record<string, Others>>;

export interface FamousBench {
  readonly followers: number;
  readonly famous: ActsOn;
  readonly blocked: ActsOn;
}

interface Person {
  readonly actorId: string;
  readonly token: string;
}

const [WRITERS, PER_SECOND] = [4, 50];
/** An act has steps of some ten seconds, and a p99 needs hundreds of posts. */
const [WARM_UP_SECONDS, SECONDS] = [10, 15];
const BEFORE_ACT_MS = 500;
const POSTS = 500;

/** Posts of others during acts of and on an author with many followers, and somebody whom as many block. */
export function benchFamous(
  followers = Number(process.env['BENCH_FOLLOWERS'] ?? 100_000),
): Promise<FamousBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    const driver = await startFloor('overload/driver');
    try {
      const readers = Array.from({ length: WRITERS + 3 }, () => newReader(network));
      const [famous, blocked, ...others] = await Promise.all(readers);
      if (!famous || !blocked) throw new Error('somebody is missing');
      await seed(network, numbered('person', followers), famous.actorId, blocked.actorId);
      const actsOn = (subject: Reader) => measure(network, driver, subject, others);
      return { followers, famous: await actsOn(famous), blocked: await actsOn(blocked) };
    } finally {
      await driver.stop();
      await network.stop();
    }
  });
}

function seed(network: BenchNetwork, people: readonly string[], followed: string, blocked: string) {
  return withStores(network, async (log, pool) => {
    const society = new Society(log);
    await society.application('bench');
    for (const authorActorId of [followed, blocked])
      await society.posts(numbered(`${authorActorId}-`, POSTS).map((postId) => ({ postId, authorActorId })));
    await society.crowd(people, { followed, blocked });
    await shown(log, pool);
  });
}

async function measure(
  network: BenchNetwork,
  driver: Floor,
  subject: Reader,
  [fan, ...writers]: readonly Reader[],
): Promise<ActsOn> {
  if (!fan) throw new Error('somebody is missing');
  const signIn = async (reader: Reader): Promise<Person> => ({
    actorId: reader.actorId,
    token: await reader.token(),
  });
  const acts = Object.entries(actsOn(network, await signIn(subject), await signIn(fan)));
  // Anew for each act, since they last five minutes.
  const tokensOfWriters = () => Promise.all(writers.map((writer) => writer.token()));
  const write = (seconds: number, tokens: readonly string[]) =>
    driver.ask<Offered>({
      url: network.baseUrl,
      method: 'POST',
      path: '/api/posts',
      tokens,
      seconds,
      connections: WRITERS,
      perSecond: PER_SECOND,
    } satisfies Offer);
  await write(WARM_UP_SECONDS, await tokensOfWriters());
  const results: Record<string, Others> = {};
  for (const [name, act] of acts) {
    const tokens = await tokensOfWriters();
    const { latency: quiet } = await write(SECONDS, tokens);
    const written = write(SECONDS, tokens);
    await pause(BEFORE_ACT_MS);
    const begun = performance.now();
    await act();
    const actMs = rounded(performance.now() - begun);
    const { latency, longestMs, refused, lost } = await written;
    if (refused + lost > 0) throw new Error(`${refused} posts were refused and ${lost} lost (${name})`);
    const ratio = rounded(latency.p99Ms / quiet.p99Ms);
    results[name] = { quietP50Ms: quiet.p50Ms, quietP99Ms: quiet.p99Ms, ...latency, longestMs, ratio, actMs };
    await withStores(network, (_, pool) => settled(pool));
  }
  return results;
}

/** In their order: each needs what those before it have left. */
function actsOn(network: BenchNetwork, subject: Person, fan: Person) {
  const operator = operatorOf(network.run.settings);
  const reason = 'a benchmark';
  const follow = `/api/relations/follow/${subject.actorId}`;
  const intent = () => JSON.stringify({ intentId: randomUUID() });
  let id = '';
  const moderate = (verb: 'restrict' | 'unrestrict') => () =>
    operator.call(`POST /operator/posts/:id/${verb}`, { id, reason });
  const change = (verb: 'suspend' | 'reinstate' | 'erase') => () =>
    operator.call(`POST /operator/accounts/:id/${verb}`, { id: subject.actorId, reason });
  return {
    post: async () => {
      const answer = await send(network, subject, 'POST', '/api/posts', postBody());
      ({ id } = ((await answer.json()) as { post: { id: string } }).post);
    },
    restriction: moderate('restrict'),
    liftedRestriction: moderate('unrestrict'),
    deletion: () => send(network, subject, 'DELETE', `/api/posts/${id}?intentId=${randomUUID()}&revision=1`),
    follow: () => send(network, fan, 'PUT', follow, intent()),
    unfollow: () => send(network, fan, 'DELETE', `${follow}?intentId=${randomUUID()}`),
    suspension: change('suspend'),
    reinstatement: change('reinstate'),
    erasure: change('erase'),
  };
}

async function send(
  { baseUrl }: BenchNetwork,
  { token }: Person,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: string,
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}
