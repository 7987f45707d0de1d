/**
 * Each round kills the server with -9 during concurrent appends. Writers retry as the protocol requires, with the
 * same event ids and expected revision. In the end every acknowledged event exists once.
 */
import { EventStoreDBClient, jsonEvent, NO_STREAM, type EventData } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startEmbeddedEventStore, type EmbeddedEventStore } from '../testing/start.js';
import { until } from '../testing/until.js';
import { collect, newStream } from './support/contract.js';

const ROUNDS = process.env['PLAZA_TEST_SAMPLE'] === undefined ? 22 : 4;
const WRITERS = 12;
const ATTEMPT_MS = 2000;

describe('an embedded event store that is killed repeatedly', () => {
  let dir: string;
  let store: EmbeddedEventStore;
  let port: number;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'plaza-crash-'));
    store = await startEmbeddedEventStore({ dir });
    ({ port } = store);
  });

  afterAll(async () => {
    await store.kill();
    await rm(dir, { recursive: true, force: true });
  });

  it('loses and duplicates no acknowledged event', async () => {
    let restarted = Promise.resolve();
    let client = EventStoreDBClient.connectionString(store.url);
    const stopping = new AbortController();
    const writers = Array.from({ length: WRITERS }, () => ({
      stream: newStream('crash'),
      acknowledged: [] as string[],
    }));

    async function write({ stream, acknowledged }: (typeof writers)[number]): Promise<void> {
      while (!stopping.signal.aborted) {
        const batch = Array.from({ length: 1 + (acknowledged.length % 3) }, (_, i) =>
          jsonEvent({ type: 'crash', data: { n: acknowledged.length + i } }),
        );
        await appendWithRetries(stream, batch, acknowledged.length);
        acknowledged.push(...batch.map(({ id }) => id));
      }
    }

    /** A call may never be answered, so every attempt has a timeout. */
    async function appendWithRetries(stream: string, batch: EventData[], count: number): Promise<void> {
      const expectedRevision = count === 0 ? NO_STREAM : BigInt(count - 1);
      for (;;) {
        const used = client;
        const bound = new AbortController();
        const attempt = used.appendToStream(stream, batch, { expectedRevision }).then(
          () => true,
          (error: { type?: string }) => {
            if (error.type === 'wrong-expected-version') throw error;
            return false;
          },
        );
        const acknowledged = await Promise.race([attempt, pause(ATTEMPT_MS, bound.signal)]);
        bound.abort();
        if (acknowledged) return;
        await restarted;
      }
    }

    const total = (): number => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    async function someAppends(count: number): Promise<void> {
      const before = total();
      // A writer that fails ends the wait with its error.
      await Promise.race([until(() => total() >= before + count), working]);
    }

    const working = Promise.all(writers.map(write));
    for (let round = 0; round < ROUNDS; round++) {
      await someAppends(20 + ((round * 7) % 30));
      const broken = client;
      restarted = (async () => {
        await store.kill('SIGKILL');
        store = await startEmbeddedEventStore({ dir, port });
        client = EventStoreDBClient.connectionString(store.url);
      })();
      await restarted;
      void broken.dispose();
    }
    await someAppends(20);
    stopping.abort();
    await working;

    for (const { stream, acknowledged } of writers) {
      const stored = await collect(client.readStream(stream));
      expect(stored.map(({ event }) => event!.id)).toEqual(acknowledged);
    }
    const ids = (await collect(client.readAll())).map(({ event }) => event!.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(total());
    await client.dispose();
  });
});

/** Resolves with false after a time, or on an abort. */
async function pause(ms: number, signal = new AbortController().signal): Promise<boolean> {
  return setTimeout(ms, false, { signal }).catch(() => false);
}
