import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openReadStore } from '../src/base/store/database.js';
import { startFloor } from './floor.js';
import type { Floor } from './floor.js';
import { cpuMsOf } from './cpu.js';
import { rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { newPeople } from './streams/people.js';

/** Home timelines, one each {@link READ_EVERY_MS}, with one post a second. */
interface Others {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly statements: number;
}

export interface StreamsBench {
  readonly streams: number;
  readonly without: Others;
  /** Every stream belongs to a follower of the author and receives each post. */
  readonly with: Others & { readonly toldPerPost: number };
  /** Ratio of the p99; the goal is 2 at most. */
  readonly ratio: number;
}

const STREAMS = Number(process.env['BENCH_STREAMS'] ?? 1_000);
/** Limit of one person's streams through one application. */
const EACH = 10;
const TURNS = 3;
const SECONDS = 10;
const READ_EVERY_MS = 20;
/** Delay of Postgres' statistics, of busy and of idle connections. */
const STATISTICS_MS = { busy: 1_500, idle: 11_000 };

export function benchStreams(): Promise<StreamsBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    const url = network.run.settings['DATABASE_URL'] ?? '';
    const database = await openReadStore({ url, applicationName: 'bench', maxConnections: 2 });
    try {
      return await measure(network, database.pool);
    } finally {
      await database.close();
      await network.stop();
    }
  });
}

async function measure(network: BenchNetwork, pool: Pool): Promise<StreamsBench> {
  const people = await newPeople(network, STREAMS / EACH + 2);
  const [author, reader, ...listeners] = people;
  if (!author || !reader) throw new Error('there is nobody');
  await Promise.all(
    listeners.map(({ token }) =>
      send(network.baseUrl, 'PUT', `/api/relations/follow/${author.actorId}`, token, {
        intentId: randomUUID(),
      }),
    ),
  );
  const turn = () => turnOf(network, pool, author.token, reader.token);
  await turn();
  const turns: { without: Others; with: Others & { toldPerPost: number } }[] = [];
  for (let n = 0; n < TURNS; n++) {
    const without = await turn();
    const process = await startFloor('streams/listeners');
    const tokens = listeners.map(({ token }) => token);
    await process.ask({ open: { url: network.baseUrl, tokens, streams: STREAMS } });
    await pause(STATISTICS_MS.idle);
    const before = await toldTo(process);
    const having = await turn();
    const toldPerPost = rounded(((await toldTo(process)) - before) / SECONDS);
    await process.stop();
    turns.push({ without, with: { ...having, toldPerPost } });
  }
  const ratioOf = (each: (typeof turns)[number]) => each.with.p99Ms / each.without.p99Ms;
  const median = turns.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(TURNS / 2)];
  if (!median) throw new Error('nothing was measured');
  return { streams: STREAMS, ...median, ratio: rounded(ratioOf(median)) };
}

async function toldTo(process: Floor): Promise<number> {
  const { told, ended } = await process.ask<{ told: number; ended: number }>({});
  if (ended > 0) throw new Error(`${ended} streams have ended`);
  return told;
}

async function turnOf(
  { baseUrl, run }: BenchNetwork,
  pool: Pool,
  writing: string,
  reading: string,
): Promise<Others> {
  const [cpu, statements, begun] = [
    cpuMsOf(run.pids.api ?? 0),
    await transactionsOf(pool),
    performance.now(),
  ];
  const took: number[] = [];
  const under: Promise<unknown>[] = [];
  const requests = (SECONDS * 1_000) / READ_EVERY_MS;
  for (let n = 0; n < requests; n++) {
    // sends by the clock: waiting for a slow response would hide the next one
    await pause(Math.max(begun + n * READ_EVERY_MS - performance.now(), 0));
    if (n % (1_000 / READ_EVERY_MS) === 0)
      under.push(send(baseUrl, 'POST', '/api/posts', writing, { intentId: randomUUID(), ...POST }));
    const sentAt = performance.now();
    under.push(
      send(baseUrl, 'GET', '/api/timeline', reading).then(() => took.push(performance.now() - sentAt)),
    );
  }
  await Promise.all(under);
  const seconds = (performance.now() - begun) / 1_000;
  const cpuMs = rounded((cpuMsOf(run.pids.api ?? 0) - cpu) / seconds);
  const sorted = took.toSorted((a, b) => a - b);
  return {
    p50Ms: rounded(sorted[Math.floor(sorted.length * 0.5)] ?? 0),
    p99Ms: rounded(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
    cpuMs,
    statements: rounded(((await transactionsOf(pool)) - statements) / seconds),
  };
}

const POST = { text: 'A post of a benchmark, of about the length of what people write.', audience: 'public' };

async function send(
  baseUrl: string,
  method: string,
  path: string,
  token: string,
  body?: object,
): Promise<void> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
}

async function transactionsOf(pool: Pool): Promise<number> {
  await pause(STATISTICS_MS.busy);
  const { rows } = await pool.query<{ done: string }>(
    'SELECT xact_commit + xact_rollback AS done FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.done);
}
