import { randomUUID } from 'node:crypto';
import { inTurns, load } from './load.js';
import type { Connection, Measured, Sending } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { newReader } from './reads/reader.js';
import { live } from './recovery/live.js';
import { numbered, Society } from './society.js';

/** The same requests to a network on the embedded event store and to one on the store of `EVENTSTORE_URL`. */
interface Beside {
  readonly embedded: Measured;
  readonly named: Measured;
}

export interface StoresBench {
  readonly posts: Beside;
  readonly follows: Beside;
  readonly pages: Beside;
}

const CONNECTIONS = 16;
const TURNS = 3;
const EACH = 1_600;

/** Returns undefined without `EVENTSTORE_URL`. That store must be empty. */
export async function benchStores(): Promise<StoresBench | undefined> {
  const { EVENTSTORE_URL } = process.env;
  if (EVENTSTORE_URL === undefined) return undefined;
  return withNetwork({ EVENTSTORE_URL: undefined }, (embedded) =>
    withNetwork({ EVENTSTORE_URL }, (named) => measure(embedded, named)),
  );
}

function withNetwork<Result>(
  settings: NodeJS.ProcessEnv,
  work: (network: BenchNetwork) => Promise<Result>,
): Promise<Result> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off', ...settings });
    try {
      return await work(network);
    } finally {
      await network.stop();
    }
  });
}

async function measure(embedded: BenchNetwork, named: BenchNetwork): Promise<StoresBench> {
  const [one, other] = [await prepare(embedded), await prepare(named)];
  const beside = (what: keyof Loads) => inTurns(TURNS, { embedded: one[what], named: other[what] });
  return { posts: await beside('posts'), follows: await beside('follows'), pages: await beside('pages') };
}

type Loads = Readonly<Record<keyof StoresBench, () => Promise<Measured>>>;

async function prepare(network: BenchNetwork): Promise<Loads> {
  const reader = await newReader(network);
  const people = numbered('person', (TURNS + 1) * (EACH + CONNECTIONS));
  await live(network, async (log) => {
    const society = new Society(log);
    await society.application('bench');
    await society.people(people);
  });
  const unfollowed = people.values();
  const post = { text: 'A post of a benchmark', audience: 'public' };
  const send = async (next: () => Omit<Sending, 'headers'>): Promise<Measured> => {
    const headers = { authorization: `Bearer ${await reader.token()}`, 'content-type': 'application/json' };
    const sending = (): Sending => ({ ...next(), headers });
    const connections = Array.from({ length: CONNECTIONS }, (): Connection => ({
      first: sending(),
      next: sending,
    }));
    return load({ url: network.baseUrl, pid: network.run.pids.api ?? 0 }, connections, EACH, 200);
  };
  const body = (content: object = {}) => JSON.stringify({ intentId: randomUUID(), ...content });
  return {
    posts: () => send(() => ({ method: 'POST', path: '/api/posts', body: body(post) })),
    follows: () =>
      send(() => {
        const { value } = unfollowed.next();
        return { method: 'PUT', path: `/api/relations/follow/${value}`, body: body() };
      }),
    pages: () => send(() => ({ method: 'GET', path: '/api/timeline' })),
  };
}
