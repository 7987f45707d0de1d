import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openLog } from '../src/log/open-log.js';
import { openReadStore } from '../src/base/store/database.js';
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

/** Compared with bare HTTP and Postgres with the same final SQL. */
interface ReadFigures extends Measured {
  readonly floor: Measured;
  readonly ratio: number;
}

export interface ReadsBench {
  readonly [read: string]: {
    /** Postgres transactions a request; one statement each. */
    readonly statements: number;
    readonly at: { readonly [connections: number]: ReadFigures };
  };
}

const CONNECTIONS = [16, 64];
const TURNS = 3;
const REQUESTS = 3_200;
/** Delay of Postgres' statistics. */
const STATISTICS_MS = 1_500;

export function benchReads(): Promise<ReadsBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    const databaseUrl = network.run.settings['DATABASE_URL'] ?? '';
    const database = await openReadStore({ url: databaseUrl, applicationName: 'bench', maxConnections: 2 });
    const floor = await startFloor('reads/bare-server', [databaseUrl]);
    try {
      return await measureAll(network, database.pool, floor);
    } finally {
      await floor.stop();
      await database.close();
      await network.stop();
    }
  });
}

async function measureAll(network: BenchNetwork, pool: Pool, floor: Floor): Promise<ReadsBench> {
  const reader = await newReader(network);
  const { EVENTSTORE_URL: eventStoreUrl = '', VAULT_DATABASE_URL: vaultDatabaseUrl = '' } =
    network.run.settings;
  const opened = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'bench' });
  await seed(opened.log, reader.actorId, pool);
  await opened.close();
  const plaza = { url: network.baseUrl, pid: network.run.pids.api ?? 0 };
  const figures: Record<string, ReadsBench[string]> = {};
  for (const each of casesOf()) {
    const token = await reader.token();
    await floor.ask(await bareRead(pool, token, each));
    figures[each.name] = await measure(each.path, { plaza, floor, pool, token });
  }
  return figures;
}

interface Measuring {
  readonly plaza: Target;
  readonly floor: Target;
  readonly pool: Pool;
  readonly token: string;
}

async function measure(path: string, { plaza, floor, pool, token }: Measuring) {
  const request = { path, method: 'GET', headers: { authorization: `Bearer ${token}` } } as const;
  const asked = (target: Target, connections: number) =>
    load(
      target,
      Array.from({ length: connections }, () => ({ first: request })),
      REQUESTS,
      200,
    );
  const at: Record<number, ReadFigures> = {};
  for (const connections of CONNECTIONS) {
    const measured = await inTurns(TURNS, {
      plaza: () => asked(plaza, connections),
      floor: () => asked(floor, connections),
    });
    const ratio = rounded(measured.plaza.perSecond / measured.floor.perSecond);
    at[connections] = { ...measured.plaza, floor: measured.floor, ratio };
  }
  const before = await transactionsOf(pool);
  await asked(plaza, 16);
  return { statements: rounded(((await transactionsOf(pool)) - before) / REQUESTS), at };
}

async function transactionsOf(pool: Pool): Promise<number> {
  await pause(STATISTICS_MS);
  const { rows } = await pool.query<{ done: string }>(
    'SELECT xact_commit + xact_rollback AS done FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.done);
}
