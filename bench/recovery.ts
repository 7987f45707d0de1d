/** Build and verification of read models: time and memory, compared with a bare subscription that counts events. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, excludeSystemEvents, START } from '@eventstore/db-client';
import { pino } from 'pino';
import { startPostgres } from '../src/launch/embedded-postgres.js';
import { openLog } from '../src/log/open-log.js';
import { openReadStore } from '../src/base/store/database.js';
import { withEventStore } from '@plaza/event-store/testing';
import type { Effort } from './effort.js';
import { residentMegabytes, withDataDir } from './network.js';
import type { BuildAnswer, BuildQuestion } from './recovery/build-process.js';
import { seed } from './recovery/seed.js';

export interface RecoveryBench {
  readonly events: number;
  readonly bareEventsPerSecond: number;
  readonly buildEventsPerSecond: number;
  readonly buildRatio: number;
  /** Includes the verification, which reads the log again. */
  readonly withVerificationEventsPerSecond: number;
  readonly withVerificationRatio: number;
  /** Events a second of an as-of build up to the head, which is not verified. */
  readonly asOfEventsPerSecond: number;
  readonly seconds: { readonly loading: number; readonly built: number; readonly verification: number };
  /** Sampled proportional set size of the building process. */
  readonly peakMegabytes: number;
}

/** A build of a large log takes minutes, which averages out background load. */
const rounds = (events: number): number => (events > 300_000 ? 1 : 3);

const SAMPLE_MS = 100;
const PROGRAM = fileURLToPath(new URL('recovery/build-process.js', import.meta.url));
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

export function benchRecovery({ quick }: Pick<Effort, 'quick'>): Promise<RecoveryBench> {
  const events = Number(process.env['BENCH_EVENTS'] ?? (quick ? 6_000 : 30_000));
  return withDataDir(async (dataDir) => {
    const postgres = await startPostgres({ dataDir, log: LOG });
    const { databaseUrl, vaultDatabaseUrl } = postgres;
    try {
      return await withEventStore(join(dataDir, 'eventstore'), ['--no-fsync'], async (eventStoreUrl) => {
        const database = await openReadStore({
          url: databaseUrl,
          applicationName: 'bench',
          maxConnections: 2,
        });
        await database.close();
        const opened = await openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'bench' });
        await seed(opened.log, events);
        await opened.close();
        return measure({ databaseUrl, eventStoreUrl, vaultDatabaseUrl }, rounds(events));
      });
    } finally {
      await postgres.stop();
    }
  });
}

/** Interleaves floor and build, so that background load affects both alike. */
async function measure(question: BuildQuestion, turns: number): Promise<RecoveryBench> {
  const bare: number[] = [];
  const builds: Awaited<ReturnType<typeof build>>[] = [];
  let events = 0;
  for (let round = 0; round < turns; round++) {
    const begun = performance.now();
    events = await count(question.eventStoreUrl);
    bare.push((performance.now() - begun) / 1_000);
    builds.push(await build(question));
  }
  const floor = median(bare);
  const built = median(builds.map(({ buildSeconds }) => buildSeconds));
  const whole = median(builds.map(({ buildSeconds, verifySeconds }) => buildSeconds + verifySeconds));
  const rounded = (value: number) => Number(value.toFixed(2));
  return {
    events,
    bareEventsPerSecond: Math.round(events / floor),
    buildEventsPerSecond: Math.round(events / built),
    buildRatio: rounded(floor / built),
    withVerificationEventsPerSecond: Math.round(events / whole),
    withVerificationRatio: rounded(floor / whole),
    asOfEventsPerSecond: Math.round(events / median(builds.map(({ asOfSeconds }) => asOfSeconds))),
    seconds: {
      loading: rounded(median(builds.map(({ loadingSeconds }) => loadingSeconds))),
      built: rounded(built),
      verification: rounded(median(builds.map(({ verifySeconds }) => verifySeconds))),
    },
    peakMegabytes: Math.max(...builds.map(({ peakMegabytes }) => peakMegabytes)),
  };
}

async function count(url: string): Promise<number> {
  const client = EventStoreDBClient.connectionString(url);
  const { promise: caughtUp, resolve, reject } = Promise.withResolvers<void>();
  let events = 0;
  const subscription = client
    .subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() })
    .on('data', () => events++)
    .on('caughtUp', resolve)
    .on('error', reject);
  await caughtUp;
  await subscription.unsubscribe();
  await client.dispose();
  return events;
}

async function build(question: BuildQuestion): Promise<BuildAnswer & { readonly peakMegabytes: number }> {
  const child = fork(PROGRAM, [JSON.stringify(question)]);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const answered = once(child, 'message') as Promise<[BuildAnswer]>;
  let peakMegabytes = 0;
  const sampling = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, residentMegabytes([child.pid ?? 0]));
  }, SAMPLE_MS);
  const [answer] = await Promise.race([answered, ended]).finally(() => clearInterval(sampling));
  if (typeof answer !== 'object' || answer === null) throw new Error(`the build ended with code ${answer}`);
  if (answer.differences > 0) throw new Error('what was built is not what the log says');
  await ended;
  return { ...answer, peakMegabytes };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
