/** An export of the log: time, memory and size, compared with a bare subscription that counts events. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startPostgres } from '../src/launch/embedded-postgres.js';
import { openLog } from '../src/log/open-log.js';
import type { Reading, ReadingAnswer } from './analytics/reader.js';
import { withEventStore } from './event-store-process.js';
import { withDataDir } from './network.js';
import { seed } from './recovery/seed.js';

export interface AnalyticsBench {
  readonly events: number;
  readonly bareEventsPerSecond: number;
  readonly exportEventsPerSecond: number;
  readonly ratio: number;
  readonly bytesPerEvent: number;
  readonly peakMegabytes: { readonly bare: number; readonly export: number };
}

const ROUNDS = 3;
const PROGRAM = fileURLToPath(new URL('analytics/reader.js', import.meta.url));
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

export function benchAnalytics(
  events = Number(process.env['BENCH_EVENTS'] ?? 30_000),
): Promise<AnalyticsBench> {
  return withDataDir(async (dataDir) => {
    const { vaultDatabaseUrl, ...postgres } = await startPostgres({ dataDir, log: LOG });
    try {
      return await withEventStore(join(dataDir, 'eventstore'), ['--no-fsync'], async (eventStoreUrl) => {
        const opened = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'bench' });
        await seed(opened.log, events);
        await opened.close();
        return measure(eventStoreUrl, dataDir);
      });
    } finally {
      await postgres.stop();
    }
  });
}

/** Interleaves floor and export, so that background load affects both alike. */
async function measure(eventStoreUrl: string, dataDir: string): Promise<AnalyticsBench> {
  const bare: ReadingAnswer[] = [];
  const exports: ReadingAnswer[] = [];
  for (let round = 0; round < ROUNDS; round++) {
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
