/**
 * An export of the log beside a bare subscription that counts events, the questions of the report beside the same to the
 * live Postgres, and the staleness of `--follow`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startPostgres } from '../src/launch/embedded-postgres.js';
import { openLog } from '../src/log/open-log.js';
import { openReadStore } from '../src/base/store/database.js';
import { askDataSet, askPostgres } from './analytics/questions.js';
import type { Took } from './analytics/questions.js';
import type { Reading, ReadingAnswer } from './analytics/reader.js';
import { measureStaleness } from './analytics/staleness.js';
import { appendAll, eventsOfDays } from './analytics/year.js';
import { fillAudit } from './audit/fill.js';
import { Random } from './audit/random.js';
import { withEventStore } from '@plaza/event-store/testing';
import { withDataDir } from './network.js';
import type { Percentiles } from './percentiles.js';

export interface AnalyticsBench {
  readonly events: number;
  readonly bareEventsPerSecond: number;
  readonly exportEventsPerSecond: number;
  readonly ratio: number;
  readonly bytesPerEvent: number;
  readonly peakMegabytes: { readonly bare: number; readonly export: number };
  readonly dataSet: { readonly wall: Took; readonly cpu: Took };
  readonly postgres: Took;
  readonly staleness: Percentiles;
}

/** An export of a large log takes long enough to average out background load. */
const rounds = (events: number): number => (events > 300_000 ? 1 : 3);
const SEED = 19;
const PROGRAM = fileURLToPath(new URL('analytics/reader.js', import.meta.url));
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

export function benchAnalytics(
  events = Number(process.env['BENCH_EVENTS'] ?? 30_000),
): Promise<AnalyticsBench> {
  return withDataDir(async (dataDir) => {
    const { databaseUrl, vaultDatabaseUrl, ...postgres } = await startPostgres({ dataDir, log: LOG });
    try {
      return await withEventStore(join(dataDir, 'eventstore'), ['--no-fsync'], async (eventStoreUrl) => {
        const opened = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'bench' });
        try {
          await appendAll(opened.log, eventsOfDays(events, new Random(SEED)));
          const exported = await measureExport(eventStoreUrl, dataDir, rounds(events));
          const dir = join(dataDir, 'export-0');
          const dataSet = await askDataSet(dir);
          const staleness = await measureStaleness(opened.log, dir);
          await fillReadStore(databaseUrl, events);
          return { ...exported, dataSet, postgres: await askPostgres(databaseUrl), staleness };
        } finally {
          await opened.close();
        }
      });
    } finally {
      await postgres.stop();
    }
  });
}

async function fillReadStore(url: string, events: number): Promise<void> {
  const database = await openReadStore({ url, applicationName: 'bench', maxConnections: 2 });
  await database.close();
  const random = new Random(SEED);
  await fillAudit(url, eventsOfDays(events, random), random);
}

/** Interleaves floor and export, so that background load affects both alike. */
async function measureExport(eventStoreUrl: string, dataDir: string, times: number) {
  const bare: ReadingAnswer[] = [];
  const exports: ReadingAnswer[] = [];
  for (let round = 0; round < times; round++) {
    bare.push(await read({ eventStoreUrl }));
    exports.push(await read({ eventStoreUrl, dir: join(dataDir, `export-${round}`) }));
  }
  const [floor, exported] = [median(bare), median(exports)];
  return {
    events: exported.events,
    bareEventsPerSecond: Math.round(floor.events / floor.seconds),
    exportEventsPerSecond: Math.round(exported.events / exported.seconds),
    ratio: Number((floor.seconds / exported.seconds).toFixed(2)),
    bytesPerEvent: Math.round(exported.bytes / exported.events),
    peakMegabytes: { bare: most(bare), export: most(exports) },
  };
}

async function read(reading: Reading): Promise<ReadingAnswer> {
  const child = fork(PROGRAM, [JSON.stringify(reading)]);
  const ended = once(child, 'exit').then(() => {
    throw new Error('the reader ended without an answer');
  });
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [ReadingAnswer];
  await ended.catch(() => undefined);
  return answer;
}

const most = (answers: readonly ReadingAnswer[]) =>
  Math.max(...answers.map(({ peakMegabytes }) => peakMegabytes));

function median(answers: readonly ReadingAnswer[]): ReadingAnswer {
  const middle = answers.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(answers.length / 2)];
  if (!middle) throw new Error('nothing was measured');
  return middle;
}
