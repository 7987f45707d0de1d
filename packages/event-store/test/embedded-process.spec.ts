/** The embedded store as a process: its directory, its lock, its end, a full disk. */
import { EventStoreDBClient, jsonEvent, type EventData } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EventStoreDidNotStart,
  startEmbeddedEventStore,
  type EmbeddedEventStore,
  type EmbeddedEventStoreOptions,
} from '../testing/start.js';
import { canHaveSmallDisk, makeSmallDisk } from '../testing/small-disk.js';
import type { SmallDisk } from '../testing/small-disk.js';
import { events, newStream, numbersOf, rejection } from './support/contract.js';

const EXIT_LOCKED = 3;
const EXIT_CORRUPT = 4;

let dir: string;
let running: EmbeddedEventStore[];
let clients: EventStoreDBClient[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-process-'));
  running = [];
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map(async (client) => client.dispose()));
  await Promise.all(running.map(async (store) => store.kill()));
  await rm(dir, { recursive: true, force: true });
});

async function start(options: EmbeddedEventStoreOptions = {}): Promise<EmbeddedEventStore> {
  const store = await startEmbeddedEventStore({ dir, ...options });
  running.push(store);
  return store;
}

function connect(store: EmbeddedEventStore): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(store.url);
  clients.push(client);
  return client;
}

async function startFailure(): Promise<EventStoreDidNotStart> {
  const error = await rejection(start());
  expect(error).toBeInstanceOf(EventStoreDidNotStart);
  return error as unknown as EventStoreDidNotStart;
}

describe('the lock of a directory', () => {
  it('rejects a second process, with a message that says what to do', async () => {
    await start();
    const { exitCode, logged } = await startFailure();
    expect(exitCode).toBe(EXIT_LOCKED);
    expect(logged).toContain(`the event store directory ${dir} is in use by another process`);
  });

  it('is free immediately after a kill -9', async () => {
    for (let round = 0; round < 3; round++) await (await start()).kill('SIGKILL');
    await (await start()).stop();
    expect(await startEmbeddedEventStore({ dir }).then(async (store) => store.stop())).toBeUndefined();
  });

  it('admits exactly one of several processes that start at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, async () => start()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as EventStoreDidNotStart).exitCode] : [],
    );
    expect(refused).toEqual([EXIT_LOCKED, EXIT_LOCKED, EXIT_LOCKED]);
  });
});

describe('a damaged directory', () => {
  const logFile = async (): Promise<string> =>
    join(
      dir,
      (await readdir(dir)).find((name) => name.endsWith('.log'))!,
    );

  it('loses a torn tail, which is saved aside and logged', async () => {
    const store = await start();
    const client = connect(store);
    const stream = newStream();
    await client.appendToStream(stream, events(2));
    await client.appendToStream(stream, events(2, { first: 2 }));
    await client.dispose();
    await store.kill('SIGKILL');
    const file = await logFile();
    await truncate(file, (await stat(file)).size - 20);

    const again = await start();
    expect(again.logged()).toMatch(/"level":"warn".*torn tail/);
    expect(await readdir(dir)).toContainEqual(expect.stringMatching(/^torn-tail-\d+\.bin$/));
    const next = connect(again);
    expect(await numbersOf(next, stream)).toEqual([0, 1]);
    await next.appendToStream(stream, events(1, { first: 5 }), { expectedRevision: 1n });
    expect(await numbersOf(next, stream)).toEqual([0, 1, 5]);
  });

  it('is refused when acknowledged events are damaged', async () => {
    const store = await start();
    const client = connect(store);
    for (let i = 0; i < 5; i++) await client.appendToStream(newStream(), events(1));
    await client.dispose();
    await store.kill('SIGKILL');
    const handle = await open(await logFile(), 'r+');
    await handle.write(Buffer.from('damage'), 0, 6, 400);
    await handle.close();
    const { exitCode, logged } = await startFailure();
    expect(exitCode).toBe(EXIT_CORRUPT);
    expect(logged).toMatch(/the event log is corrupt.*at byte \d+.*restore the directory from a backup/);
  });
});

describe('the end of the process', () => {
  it('ends subscriptions, reads and appends with an error', async () => {
    const store = await start();
    const client = connect(store);
    // More than client and server buffer.
    const many = 600;
    const event = jsonEvent({ type: 'filled', data: { filling: 'x'.repeat(5000) } });
    const copies = (): EventData[] => Array.from({ length: 100 }, () => ({ ...event, id: randomUUID() }));
    for (let n = 0; n < many; n += 100) await client.appendToStream('filled', copies());
    type Subscription =
      | ReturnType<typeof client.subscribeToAll>
      | ReturnType<typeof client.subscribeToStream>;
    const endings: Promise<{ message: string }>[] = [];
    const subscribed = async (subscription: Subscription): Promise<Subscription> => {
      endings.push(new Promise((resolve) => subscription.once('error', resolve)));
      await new Promise((resolve) => subscription.once('confirmation', resolve));
      return subscription;
    };
    await subscribed(client.subscribeToStream('some-stream'));
    const ofAll = await subscribed(client.subscribeToAll());
    const raw = new StreamsClient(`127.0.0.1:${store.port}`, credentials.createInsecure());
    endings.push(
      new Promise((resolve) => raw.append((error) => resolve(error!)).write(appendTo('some-stream'))),
    );
    const read = raw.read(readAll());
    let taken = 0;
    endings.push(new Promise((resolve) => read.once('error', resolve)));
    await new Promise((resolve) => read.once('readable', resolve));
    const killed = store.kill('SIGTERM');
    // Nothing was sent to the first subscription. The others get their error after the buffered events.
    await endings[0];
    ofAll.resume();
    read.on('data', () => taken++);
    for (const { message } of await Promise.all(endings)) {
      expect(message).toBe('14 UNAVAILABLE: the event store is shutting down');
    }
    expect(taken).toBeLessThan(many);
    await killed;
    raw.close();
  });

  it('answers every append that it stores, and fails the others as unavailable', async () => {
    const store = await start();
    const client = connect(store);
    await client.appendToStream(newStream(), events(1));
    const stream = newStream();
    const appends = events(300).map(async (event) => client.appendToStream(stream, event));
    const outcomes = Promise.allSettled(appends);
    await appends[0];
    await store.kill('SIGTERM');
    const results = await outcomes;
    const acknowledged = results.filter(({ status }) => status === 'fulfilled').length;
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { type?: string }).type] : [],
    );
    expect(reasons.filter((type) => type !== 'unavailable' && type !== 'cancelled')).toEqual([]);
    const stored = (await numbersOf(connect(await start()), stream)).length;
    expect(stored).toBe(acknowledged);
    expect(stored).toBeGreaterThan(0);
  });
});

/** The first message of an append, which has no events. */
function appendTo(stream: string): InstanceType<typeof streamsPb.AppendReq> {
  const options = new streamsPb.AppendReq.Options()
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setAny(new sharedPb.Empty());
  return new streamsPb.AppendReq().setOptions(options);
}

function readAll(): InstanceType<typeof streamsPb.ReadReq> {
  const options = new streamsPb.ReadReq.Options()
    .setAll(new streamsPb.ReadReq.Options.AllOptions().setStart(new sharedPb.Empty()))
    .setNoFilter(new sharedPb.Empty())
    .setCount('1000');
  return new streamsPb.ReadReq().setOptions(options);
}

(canHaveSmallDisk ? describe : describe.skip)('a full disk (needs root, for a small file system)', () => {
  let disk: SmallDisk;

  beforeEach(async () => {
    await rm(dir, { recursive: true });
    disk = makeSmallDisk();
    dir = disk.dir;
  });
  afterEach(() => disk.remove());

  it('refuses appends, keeps its events, and resumes when there is space again', async () => {
    const store = await start();
    const client = connect(store);
    const stream = newStream();
    await client.appendToStream(stream, events(3));
    disk.fill();
    const big = jsonEvent({ type: 'big', data: { n: 3, filling: 'x'.repeat(500_000) } });
    for (let attempt = 0; attempt < 3; attempt++) {
      const refused = [client.appendToStream(stream, big), client.appendToStream(stream, big)].map(rejection);
      for (const { message } of await Promise.all(refused)) expect(message).toContain('the disk is full');
    }
    expect(await numbersOf(client, stream)).toEqual([0, 1, 2]);
    disk.empty();
    const appended = await client.appendToStream(stream, big, { expectedRevision: 2n });
    expect(appended.nextExpectedRevision).toBe(3n);
    await client.appendToStream(stream, events(1, { first: 4 }));
    expect(await numbersOf(client, stream)).toEqual([0, 1, 2, 3, 4]);
    await client.dispose();
    await store.kill('SIGKILL');
    const again = await start();
    expect(again.logged()).not.toContain('torn tail');
    expect(await numbersOf(connect(again), stream)).toEqual([0, 1, 2, 3, 4]);
  });

  it('refuses appends when there is no space for the next segment, and resumes later', async () => {
    const store = await start({ args: ['--segment-length', '2000'] });
    const client = connect(store);
    const stream = newStream();
    await client.appendToStream(stream, events(5));
    disk.fill();
    let n = 5;
    const appending = async (): Promise<void> => {
      for (; ; n += 5) await client.appendToStream(stream, events(5, { first: n }));
    };
    expect((await rejection(appending())).message).toContain('the disk is full');
    disk.empty();
    await client.appendToStream(stream, events(5, { first: n }));
    expect(await numbersOf(client, stream)).toEqual(Array.from({ length: n + 5 }, (_, i) => i));
  });
});
