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
import type { MarkSeconds } from './special.js';

export interface Figures {
  /** p50 of the first requests after a start: reads that come later find warm what those before have read. */
  readonly coldMs?: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median of the answers: a fuller page costs more. */
  readonly bytes?: number;
  /** Shared blocks of the statement of a read; for a write, those of all statements of all processes meanwhile. */
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

export interface Measured {
  readonly figures: Readonly<Record<string, Figures>>;
  readonly mark: MarkSeconds;
}

/** Measures each read and write on a network that has just been started. */
export async function measure(
  { baseUrl, run }: BenchNetwork,
  pool: Pool,
  { extent, amounts }: { readonly extent: Extent; readonly amounts: Amounts },
): Promise<Measured> {
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
  const measureWrites = async (writes: readonly Request[]): Promise<Figures> => {
    await pause(STATISTICS_MS);
    const before = await blocksOfAll(pool);
    const answers = await send(writes);
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
    figures[`write: ${name}`] = await measureWrites(requests.writes(name, amounts.measured));
  }

  const [owner, follower] = (await tokensFor(pool, [full, curious])) as [Caller, Caller];
  figures['full inbox'] = await measureRead((count) => repeated('inbox', owner, count));
  const mark = await markWholeInbox(baseUrl, pool, owner);
  await mergeFollowedByCurious(pool, extent);
  figures['timeline of 1,000 merged'] = await measureRead((count) => repeated('timeline', follower, count));
  await plannedOnce.end();
  return { figures, mark };
}

const median = (values: readonly number[]): number => quantile(values, 0.5);
const msOf = (answers: readonly Answer[]): Percentiles => percentiles(answers.map(({ ms }) => ms));
