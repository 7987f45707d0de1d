import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { projectionStatus } from '../projections/projection-status.js';
import { openPlannedOnce } from '../src/base/store/postgres.js';
import type { EventLog } from '../src/log/event-log.js';
import { flat } from './compare.js';
import type { Effort } from './effort.js';
import { rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { percentiles, quantile } from './percentiles.js';
import { blocksOfAll, blocksOfReads } from './scale/blocks.js';
import { readNames, Requests, timesOf, tokensFor, writeNames } from './scale/requests.js';
import type { Caller, Read } from './scale/requests.js';
import { fillDataDir, seededLog } from './scale/seeded-log.js';
import { curious, full } from './scale/society.js';
import type { Extent } from './scale/society.js';
import { markWholeInbox, mergeFollowedByCurious, repeated } from './scale/special.js';
import { withStores } from './stores-of-network.js';

/** Of a read: shared blocks of its statement. Of a write: of all statements of all processes meanwhile. */
interface Figures {
  /** Of the first requests after a start. */
  readonly coldMs?: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly blocks: number;
  readonly blocksP95?: number;
}

type BySize<Value> = Readonly<Record<number, Value>>;

type Item = { readonly [Each in keyof Figures]: BySize<number> } & {
  /** Of the largest size and the smallest. */
  readonly p50Ratio: number;
  readonly blocksRatio: number;
};

export interface ScaleBench {
  readonly seconds: BySize<Seconds>;
  readonly items: Readonly<Record<string, Item>>;
}

/** Seconds until the log is written (next to none if it was kept), and until all read models are built. */
interface Seconds {
  readonly log: number;
  readonly build: number;
}

const SIZES = '10000,100000,1000000';
const whole = { cold: 20, warmUp: 100, measured: 1_000, explained: 60 };
const quickly = { cold: 4, warmUp: 20, measured: 100, explained: 20 };
/** Within which idle sessions of Postgres report their statistics. */
const STATISTICS_MS = 10_500;
const POLL_MS = 500;

/** The same random reads and writes at several sizes of a network (`BENCH_POSTS`, `BENCH_ACTORS`). */
export async function benchScale({ quick }: Pick<Effort, 'quick'>): Promise<ScaleBench> {
  const sizes = (process.env['BENCH_POSTS'] ?? SIZES).split(',').map(Number);
  const actors = Number(process.env['BENCH_ACTORS'] ?? 10_000);
  const seconds: Record<number, Seconds> = {};
  const figures = new Map<number, Figured>();
  for (const posts of sizes) {
    console.log(`${posts} posts`);
    const measured = await measureSize({ actors, posts }, quick ? quickly : whole);
    seconds[posts] = measured.seconds;
    figures.set(posts, measured.figures);
  }
  const items = itemsOf(figures);
  console.table(Object.fromEntries(Object.entries(items).map(([name, item]) => [name, flat(item)])));
  return { seconds, items };
}

type Figured = Readonly<Record<string, Figures>>;

function itemsOf(sizes: ReadonlyMap<number, Figured>): ScaleBench['items'] {
  const [smallest, largest] = [[...sizes.values()][0] ?? {}, [...sizes.values()].at(-1) ?? {}];
  const item = (name: string): Item => {
    const bySize = (figure: keyof Figures) =>
      Object.fromEntries([...sizes].map(([posts, figures]) => [posts, figures[name]?.[figure]]));
    const ratio = (figure: 'p50Ms' | 'blocks') =>
      rounded((largest[name]?.[figure] ?? 0) / (smallest[name]?.[figure] ?? 0));
    const figures = Object.fromEntries(FIGURES.map((figure) => [figure, bySize(figure)]));
    return { ...figures, p50Ratio: ratio('p50Ms'), blocksRatio: ratio('blocks') } as Item;
  };
  return Object.fromEntries(Object.keys(smallest).map((name) => [name, item(name)]));
}
const FIGURES = ['coldMs', 'p50Ms', 'p99Ms', 'blocks', 'blocksP95'] as const;

type Amounts = typeof whole;

async function measureSize(
  extent: Extent,
  amounts: Amounts,
): Promise<{ seconds: Seconds; figures: Figured }> {
  const [log, logSeconds] = await timed(() =>
    seededLog(resolve(process.env['BENCH_SCALE_DIR'] ?? 'artifacts/scale'), extent),
  );
  return withDataDir(async (dataDir) => {
    await fillDataDir(dataDir, log, extent);
    const [, build] = await timed(() => onNetwork(dataDir, (network) => withStores(network, untilBuilt)));
    // Of a network that has just been started, so that the first requests are cold.
    const figures = await onNetwork(dataDir, (network) =>
      withStores(network, (_, pool) => measure(network, pool, { extent, amounts })),
    );
    return { seconds: { log: logSeconds, build }, figures };
  });
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, rounded((performance.now() - begun) / 1_000)];
}

async function onNetwork<Result>(dataDir: string, use: (network: BenchNetwork) => Promise<Result>) {
  const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
  try {
    return await use(network);
  } finally {
    await network.stop();
  }
}

/** Resolves when every group has applied the whole log. */
async function untilBuilt(log: EventLog, pool: Pool): Promise<void> {
  for (;;) {
    const { projections } = await projectionStatus(pool, log);
    const stopped = projections.find((each) => each.stopped);
    if (stopped) throw new Error(`${stopped.name} stopped: ${stopped.stopped?.reason}`);
    if (projections.every(({ lag }) => lag === 0)) break;
    await pause(POLL_MS);
  }
  // gives the planner the statistics of a network that has run for a while
  await pool.query('VACUUM ANALYZE');
}

interface Measuring {
  readonly extent: Extent;
  readonly amounts: Amounts;
}

async function measure(network: BenchNetwork, pool: Pool, { extent, amounts }: Measuring): Promise<Figured> {
  const figures: Record<string, Figures> = {};
  const send = (requests: Parameters<typeof timesOf>[1]) => timesOf(network.baseUrl, requests);
  const url = network.run.settings['DATABASE_URL'] ?? '';
  const connection = { url, applicationName: 'bench', maxConnections: 1, queryTimeoutMs: 60_000 };
  const plannedOnce = openPlannedOnce(connection);
  const measureRead = async (readsOf: (count: number) => readonly Read[]): Promise<Figures> => {
    await send(readsOf(amounts.warmUp));
    const times = await send(readsOf(amounts.measured));
    const blocks = await blocksOfReads(plannedOnce, readsOf(amounts.explained));
    return { ...percentiles(times), blocks: quantile(blocks, 0.5), blocksP95: quantile(blocks, 0.95) };
  };
  const measureWrites = async (work: () => Promise<readonly number[]>): Promise<Figures> => {
    const before = await blocksOfAll(pool);
    const times = await work();
    await pause(STATISTICS_MS);
    const blocks = Math.round(((await blocksOfAll(pool)) - before) / times.length);
    return { ...percentiles(times), blocks };
  };

  const requests = await Requests.of(pool, extent);
  const cold: Record<string, number> = {};
  for (const name of readNames) cold[name] = quantile(await send(requests.reads(name, amounts.cold)), 0.5);
  for (const name of readNames) {
    const measured = await measureRead((count) => requests.reads(name, count));
    figures[name] = { coldMs: cold[name] ?? 0, ...measured };
  }
  for (const name of writeNames) {
    await send(requests.writes(name, amounts.warmUp));
    await pause(STATISTICS_MS);
    figures[`write: ${name}`] = await measureWrites(() => send(requests.writes(name, amounts.measured)));
  }

  const [owner, follower] = (await tokensFor(pool, [full, curious])) as [Caller, Caller];
  figures['full inbox'] = await measureRead((count) => repeated('inbox', owner, count));
  await pause(STATISTICS_MS);
  figures['mark full inbox'] = await measureWrites(async () => {
    const [, seconds] = await timed(() => markWholeInbox(network.baseUrl, owner));
    return [seconds * 1_000];
  });
  await mergeFollowedByCurious(pool, extent);
  figures['timeline of 1,000 merged'] = await measureRead((count) => repeated('timeline', follower, count));
  await plannedOnce.end();
  return figures;
}
