import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openPlannedOnce } from '../../src/base/store/postgres.js';
import type { BenchNetwork } from '../network.js';
import { percentiles, quantile } from '../percentiles.js';
import type { Percentiles } from '../percentiles.js';
import { blocksOfAll, blocksOfReads } from './blocks.js';
import { answersOf, readNames, Requests, tokensFor, writeNames } from './requests.js';
import type { Answer, Caller, Read, Request } from './requests.js';
import { curious, full } from './society.js';
import type { Extent } from './society.js';
import { markWholeInbox, mergeFollowedByCurious, repeated } from './special.js';

/** Of a read: shared blocks of its statement. Of a write: of all statements of all processes meanwhile. */
export interface Figures {
  /** p50 of the first requests after a start. */
  readonly coldMs?: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median of the answers: a fuller page costs more. */
  readonly bytes?: number;
  readonly blocks: number;
  readonly blocksP95?: number;
}

export interface Amounts {
  readonly cold: number;
  readonly warmUp: number;
  readonly measured: number;
  readonly explained: number;
}

/** Idle sessions of Postgres report their statistics within ten seconds. */
const STATISTICS_MS = 10_500;

/** Measures each read and write on a network that has just been started. */
export async function measure(
  { baseUrl, run }: BenchNetwork,
  pool: Pool,
  { extent, amounts }: { readonly extent: Extent; readonly amounts: Amounts },
): Promise<Readonly<Record<string, Figures>>> {
  const plannedOnce = openPlannedOnce({
    url: run.settings['DATABASE_URL'] ?? '',
    applicationName: 'bench',
    maxConnections: 1,
    queryTimeoutMs: 60_000,
  });
  const send = (requests: readonly Request[]) => answersOf(baseUrl, requests);
  const measureRead = async (readsOf: (count: number) => readonly Read[]): Promise<Figures> => {
    await send(readsOf(amounts.warmUp));
    const answers = await send(readsOf(amounts.measured));
    const blocks = await blocksOfReads(plannedOnce, readsOf(amounts.explained));
    return {
      ...msOf(answers),
      bytes: median(answers.map(({ bytes }) => bytes)),
      blocks: median(blocks),
      blocksP95: quantile(blocks, 0.95),
    };
  };
  const measureWrites = async (work: () => Promise<readonly Pick<Answer, 'ms'>[]>): Promise<Figures> => {
    await pause(STATISTICS_MS);
    const before = await blocksOfAll(pool);
    const answers = await work();
    await pause(STATISTICS_MS);
    return { ...msOf(answers), blocks: Math.round(((await blocksOfAll(pool)) - before) / answers.length) };
  };

  const requests = await Requests.of(pool, extent);
  const cold = new Map<string, number>();
  for (const name of readNames) cold.set(name, msOf(await send(requests.reads(name, amounts.cold))).p50Ms);
  const figures: Record<string, Figures> = {};
  for (const name of readNames) {
    const measured = await measureRead((count) => requests.reads(name, count));
    figures[name] = { coldMs: cold.get(name) ?? 0, ...measured };
  }
  for (const name of writeNames) {
    await send(requests.writes(name, amounts.warmUp));
    figures[`write: ${name}`] = await measureWrites(() => send(requests.writes(name, amounts.measured)));
  }

  const [owner, follower] = (await tokensFor(pool, [full, curious])) as [Caller, Caller];
  figures['full inbox'] = await measureRead((count) => repeated('inbox', owner, count));
  figures['mark full inbox'] = await measureWrites(async () => {
    const begun = performance.now();
    await markWholeInbox(baseUrl, owner);
    return [{ ms: performance.now() - begun }];
  });
  await mergeFollowedByCurious(pool, extent);
  figures['timeline of 1,000 merged'] = await measureRead((count) => repeated('timeline', follower, count));
  await plannedOnce.end();
  return figures;
}

const median = (values: readonly number[]): number => quantile(values, 0.5);
const msOf = (answers: readonly Pick<Answer, 'ms'>[]): Percentiles =>
  percentiles(answers.map(({ ms }) => ms));
