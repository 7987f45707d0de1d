/**
 * `npm run bench -w @plaza/event-store`: throughput of the event store over its client and loopback, and its recovery time.
 */
import { EventStoreDBClient, START } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANY } from '../src/storage/expected-revision.js';
import { openStore, type ProposedEvent, type Store } from '../src/storage/store.js';
import { measureAppends, round, type Appends } from '../testing/measure-appends.js';
import { withEventStore } from '../testing/start.js';

interface EventStoreBench {
  durableAppends: Appends[];
  appendsWithoutFsync: Appends[];
  /** Durable, ten events an append, 16 writers. */
  eventsPerSecondInAppendsOfTen: number;
  readAllEventsPerSecond: number;
  subscriptionEventsPerSecond: number;
  recovery: { events: number; megabytes: number; seconds: number; residentMegabytes: number };
}

const WRITERS = [1, 16, 64];
const BYTES_A_MEGABYTE = 1024 * 1024;

async function measure(seconds: number, events: number, recoveryEvents: number): Promise<EventStoreBench> {
  const durableAppends = await inDirectory(async (dir) => appends(dir, [], seconds));
  const appendsWithoutFsync = await inDirectory(async (dir) => appends(dir, ['--no-fsync'], seconds));
  const ofTen = await inDirectory(async (dir) =>
    withEventStore(dir, [], async (url) => measureAppends(url, 16, seconds, 10)),
  );
  const reads = await inDirectory(async (dir) => {
    await fillDirectory(dir, events);
    return withEventStore(dir, [], async (url) => ({
      readAllEventsPerSecond: await readRate(url, events, 'readAll'),
      subscriptionEventsPerSecond: await readRate(url, events, 'subscribeToAll'),
    }));
  });
  const recovery = await inDirectory(async (dir) => measureRecovery(dir, recoveryEvents));
  const eventsPerSecondInAppendsOfTen = ofTen.appendsPerSecond * 10;
  return { durableAppends, appendsWithoutFsync, eventsPerSecondInAppendsOfTen, ...reads, recovery };
}

async function appends(dir: string, args: readonly string[], seconds: number): Promise<Appends[]> {
  return withEventStore(dir, args, async (url) => {
    const results: Appends[] = [];
    for (const writers of WRITERS) results.push(await measureAppends(url, writers, seconds, 1));
    return results;
  });
}

async function readRate(url: string, events: number, how: 'readAll' | 'subscribeToAll'): Promise<number> {
  const client = EventStoreDBClient.connectionString(url);
  const begun = performance.now();
  const source = client[how]({ fromPosition: START });
  let count = 0;
  for await (const _ of source) if (++count === events) break;
  const rate = Math.round(count / ((performance.now() - begun) / 1000));
  if ('unsubscribe' in source) await source.unsubscribe();
  await client.dispose();
  return rate;
}

async function measureRecovery(dir: string, events: number): Promise<EventStoreBench['recovery']> {
  await fillDirectory(dir, events);
  const names = (await readdir(dir)).filter((name) => name.endsWith('.log'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size));
  const begun = performance.now();
  const { seconds, resident } = await withEventStore(dir, [], async (_url, pid) => ({
    seconds: (performance.now() - begun) / 1000,
    resident: await residentMegabytes(pid),
  }));
  return {
    events,
    megabytes: Math.round(sizes.reduce((sum, size) => sum + size, 0) / BYTES_A_MEGABYTE),
    seconds: round(seconds),
    residentMegabytes: resident,
  };
}

/** Fills the log through the storage core: three events a stream, one append each. */
async function fillDirectory(dir: string, events: number): Promise<void> {
  const store = await openStore({
    dir,
    fsync: false,
    log: () => undefined,
    now: () => new Date(),
    newId: randomUUID,
  });
  let pending: Promise<unknown>[] = [];
  for (let n = 0; n < events; n++) {
    pending.push(appendOne(store, `post-${Math.floor(n / 3)}`));
    if (pending.length === 2000) {
      await Promise.all(pending);
      pending = [];
    }
  }
  await Promise.all(pending);
  await store.close();
}

const TEXT = Buffer.from(JSON.stringify({ text: 'x'.repeat(200) }));
const METADATA = Buffer.from(JSON.stringify({ actor: randomUUID() }));

async function appendOne(store: Store, stream: string): Promise<unknown> {
  const event: ProposedEvent = {
    id: randomUUID(),
    type: 'bench.measured',
    isJson: true,
    data: TEXT,
    metadata: METADATA,
  };
  return store.append(stream, ANY, [event]);
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

async function inDirectory<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'event-store-bench-'));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

const { durableAppends, appendsWithoutFsync, recovery, ...rates } = await measure(3, 100_000, 1_000_000);
console.table(durableAppends);
console.table(appendsWithoutFsync);
console.table({ ...rates, ...recovery });
