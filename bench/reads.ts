import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { EventLog } from '../src/log/event-log.js';
import { cpuOfEach, networkCpuMs } from './cpu.js';
import type { CpuMs } from './cpu.js';
import type { Effort } from './effort.js';
import { startFloor } from './floor.js';
import type { Floor } from './floor.js';
import { inTurns, load, rounded } from './load.js';
import type { Measured, Target } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { bareRead } from './reads/bare-read.js';
import { casesOf } from './reads/cases.js';
import { newReader } from './reads/reader.js';
import { seed } from './reads/seed.js';
import { withStores } from './stores-of-network.js';

/** Compared with bare HTTP and Postgres with the same final SQL. */
interface ReadFigures extends Measured {
  readonly floor: Measured;
  readonly ratio: number;
}

export interface ReadsBench {
  readonly [read: string]: {
    /** Postgres transactions a request; one statement each. */
    readonly statements: number;
    /** CPU for a request at 16 connections, of all processes and of each. */
    readonly cpuMs: number;
    readonly cpuMsOf: CpuMs;
    readonly at: { readonly [connections: number]: ReadFigures };
  };
}

const whole = { connections: [16, 64], turns: 3, requests: 3_200 };
const quickly = { connections: [16], turns: 1, requests: 600 };
/** One of each sort. */
const FEW = new Set(['profile', 'timeline', 'replies', 'following', 'inbox', 'reconcile']);
/** Delay of Postgres' statistics. */
const STATISTICS_MS = 1_500;

export function benchReads(effort: Effort): Promise<ReadsBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off', ...effort.settings });
    const floor = await startFloor('reads/bare-server', [network.run.settings['DATABASE_URL'] ?? '']);
    try {
      return await withStores(network, (log, pool) => measureAll(network, { log, pool, floor }, effort));
    } finally {
      await floor.stop();
      await network.stop();
    }
  });
}

async function measureAll(
  network: BenchNetwork,
  { log, pool, floor }: { readonly log: EventLog; readonly pool: Pool; readonly floor: Floor },
  { quick, only }: Effort,
): Promise<ReadsBench> {
  const reader = await newReader(network);
  await seed(log, reader.actorId, pool);
  const plaza = { url: network.baseUrl, pid: network.run.pids.api ?? 0 };
  const figures: Record<string, ReadsBench[string]> = {};
  for (const each of casesOf().filter(({ name }) =>
    only === undefined ? !quick || FEW.has(name) : name === only,
  )) {
    const token = await reader.token();
    await floor.ask(await bareRead(pool, token, each));
    figures[each.name] = await measure(each.path, {
      network,
      plaza,
      floor,
      pool,
      token,
      extent: quick ? quickly : whole,
    });
  }
  return figures;
}

interface Measuring {
  readonly network: BenchNetwork;
  readonly extent: typeof whole;
  readonly plaza: Target;
  readonly floor: Target;
  readonly pool: Pool;
  readonly token: string;
}

async function measure(path: string, { network, plaza, floor, pool, token, extent }: Measuring) {
  const request = { path, method: 'GET', headers: { authorization: `Bearer ${token}` } } as const;
  const asked = (target: Target, connections: number) =>
    load(
      target,
      Array.from({ length: connections }, () => ({ first: request })),
      extent.requests,
      200,
    );
  const at: Record<number, ReadFigures> = {};
  for (const connections of extent.connections) {
    const measured = await inTurns(extent.turns, {
      plaza: () => asked(plaza, connections),
      floor: () => asked(floor, connections),
    });
    const ratio = rounded(measured.plaza.perSecond / measured.floor.perSecond);
    at[connections] = { ...measured.plaza, floor: measured.floor, ratio };
  }
  const [transactions, cpu] = [await transactionsOf(pool), networkCpuMs(network)];
  await asked(plaza, 16);
  const spent = cpuOfEach(cpu, networkCpuMs(network), extent.requests);
  const statements = rounded(((await transactionsOf(pool)) - transactions) / extent.requests);
  return { statements, ...spent, at };
}

async function transactionsOf(pool: Pool): Promise<number> {
  await pause(STATISTICS_MS);
  const { rows } = await pool.query<{ done: string }>(
    'SELECT xact_commit + xact_rollback AS done FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.done);
}
