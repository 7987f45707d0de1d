import { randomUUID } from 'node:crypto';
import { load, rounded } from './load.js';
import type { Measured, Sending } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { newReader } from './reads/reader.js';
import { live } from './recovery/live.js';
import { numbered, Society } from './society.js';

/** A mutation with the witness, compared with a similar one without it, on one connection. */
interface Restricting {
  readonly restricting: Measured;
  readonly other: Measured;
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
}

export interface RestrictionsBench {
  readonly deletion: Restricting;
  readonly block: Restricting;
}

const EACH = 300;
/** Edits before the measurement: new processes are slow. */
const WARMING_UP = 200;

/** Cost of prepare, accept and finalize for the caller. */
export function benchRestrictions(): Promise<RestrictionsBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    try {
      return await measure(network);
    } finally {
      await network.stop();
    }
  });
}

async function measure(network: BenchNetwork): Promise<RestrictionsBench> {
  const author = await newReader(network);
  const posts = numbered('post', WARMING_UP + 2 * EACH);
  const people = numbered('person', 2 * EACH);
  await live(network, async (log) => {
    const society = new Society(log);
    await society.application('bench');
    await society.people(people);
    await society.posts(posts.map((postId) => ({ postId, authorActorId: author.actorId })));
  });
  const headers = {
    authorization: `Bearer ${await author.token()}`,
    'content-type': 'application/json',
  };
  const [edited, deleted] = halves(posts.slice(WARMING_UP));
  const [followed, blocked] = halves(people);
  const edit = (id: string): Sending => {
    const body = { intentId: randomUUID(), revision: 1, text: 'Another text' };
    return { method: 'PATCH', path: `/api/posts/${id}`, headers, body: JSON.stringify(body) };
  };
  const deletions = deleted.map((id): Sending => {
    const query = `intentId=${randomUUID()}&revision=1`;
    const { authorization } = headers;
    return { method: 'DELETE', path: `/api/posts/${id}?${query}`, headers: { authorization } };
  });
  const put = (path: string): Sending => ({
    method: 'PUT',
    path,
    headers,
    body: JSON.stringify({ intentId: randomUUID() }),
  });
  const follows = followed.map((id) => put(`/api/relations/follow/${id}`));
  const blocks = blocked.map((id) => put(`/api/blocks/${id}`));
  await oneByOne(network, posts.slice(0, WARMING_UP).map(edit));
  return {
    deletion: beside(await oneByOne(network, edited.map(edit)), await oneByOne(network, deletions)),
    block: beside(await oneByOne(network, follows), await oneByOne(network, blocks)),
  };
}

function oneByOne({ baseUrl, run }: BenchNetwork, sendings: readonly Sending[]): Promise<Measured> {
  const [first, ...others] = sendings;
  if (!first) throw new Error('there is nothing to send');
  const waiting = others.values();
  const target = { url: baseUrl, pid: run.pids.api ?? 0 };
  return load(target, [{ first, next: () => waiting.next().value }], sendings.length, 200);
}

const halves = <Item>(items: readonly Item[]): [Item[], Item[]] => [
  items.slice(0, items.length / 2),
  items.slice(items.length / 2),
];

const beside = (other: Measured, restricting: Measured): Restricting => ({
  restricting,
  other,
  addedP50Ms: rounded(restricting.p50Ms - other.p50Ms),
  addedP99Ms: rounded(restricting.p99Ms - other.p99Ms),
});
