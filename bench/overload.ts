import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { EventLog } from '../src/log/event-log.js';
import { startFloor } from './floor.js';
import { rounded } from './load.js';
import { residentMegabytes, startNetwork, withDataDir } from './network.js';
import type { Offer, Offered } from './overload/driver.js';
import { newReader } from './reads/reader.js';
import { seed, shown } from './reads/seed.js';
import { numbered, Society } from './society.js';
import { withStores } from './stores-of-network.js';

interface Overload {
  /** Answers a second to 64 connections that each wait for theirs. */
  readonly capacity: number;
  readonly offered: number;
  /** As a share of the capacity. */
  readonly served: number;
  readonly refused: number;
  readonly lost: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly newConnectionP99Ms: number;
  /** CPU of the driver, as a share of one processor. */
  readonly driver: number;
  /** Memory of the API before and after. */
  readonly megabytes: readonly [number, number];
}

export type OverloadBench = Readonly<Record<'posts' | 'timelines' | 'profiles', Overload>>;

const TIMES = 4;
const [WARM_UP_SECONDS, CAPACITY_SECONDS, SECONDS] = [3, 8, 20];
const SETTLE_MS = 5_000;
/** Open connections: of those who wait for their answers, and of those who do not. */
const CONNECTIONS = { waiting: 64, open: 1_024 };
const [PEOPLE, FOLLOWED, FOLLOWERS] = [8, 60, 30];

/** Four times as many requests as the network can answer, each sent when it is due. */
export function benchOverload(): Promise<OverloadBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    const driver = await startFloor('overload/driver');
    try {
      const people = await Promise.all(Array.from({ length: PEOPLE }, () => newReader(network)));
      const actorIds = people.map(({ actorId }) => actorId);
      await withStores(network, (log, pool) => seedSociety(log, actorIds, pool));
      const api = network.run.pids.api ?? 0;
      const measure = async (method: Offer['method'], path: string): Promise<Overload> => {
        const tokens = await Promise.all(people.map((each) => each.token()));
        const ask = (how: Pick<Offer, 'seconds' | 'connections' | 'perSecond'>) =>
          driver.ask<Offered>({ url: network.baseUrl, method, path, tokens, ...how } satisfies Offer);
        await ask({ seconds: WARM_UP_SECONDS, connections: CONNECTIONS.waiting });
        const closed = await ask({ seconds: CAPACITY_SECONDS, connections: CONNECTIONS.waiting });
        const capacity = closed.served / CAPACITY_SECONDS;
        const before = residentMegabytes([api]);
        const { sent, served, refused, lost, latency, newConnection, cpuShare } = await ask({
          seconds: SECONDS,
          connections: CONNECTIONS.open,
          perSecond: capacity * TIMES,
        });
        await pause(SETTLE_MS);
        return {
          capacity: Math.round(capacity),
          offered: Math.round(sent / SECONDS),
          served: rounded(served / SECONDS / capacity),
          refused,
          lost,
          ...latency,
          newConnectionP99Ms: newConnection.p99Ms,
          driver: rounded(cpuShare),
          megabytes: [before, residentMegabytes([api])],
        };
      };
      return {
        posts: await measure('POST', '/api/posts'),
        timelines: await measure('GET', '/api/timeline?limit=50'),
        profiles: await measure('GET', '/api/profile'),
      };
    } finally {
      await driver.stop();
      await network.stop();
    }
  });
}

async function seedSociety(log: EventLog, people: readonly string[], pool: Pool): Promise<void> {
  const [first = '', ...others] = people;
  await seed(log, first, pool);
  const authors = numbered('author', FOLLOWED);
  const society = new Society(log);
  const pairs = (followers: readonly string[], followed: readonly string[]) =>
    followers.flatMap((actorId) => followed.map((targetId) => ({ actorId, targetId })));
  await society.follows([...pairs(others, authors), ...pairs(authors.slice(0, FOLLOWERS), others)]);
  await shown(log, pool);
}
