/** A disk whose writes fail, under a real file system: the page cache then shows data that is not on the disk. */
import { EventStoreDBClient, jsonEvent, NO_STREAM, type AppendExpectedRevision } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT_LOG_UNWRITABLE } from '../src/errors.js';
import { startEmbeddedEventStore } from '../testing/start.js';
import type { EmbeddedEventStore, EventStoreDidNotStart } from '../testing/start.js';
import { canHaveFailingDisk, makeFailingDisk } from '../testing/failing-disk.js';
import type { FailingDisk } from '../testing/failing-disk.js';
import { newStream, numbersOf, rejection } from './support/contract.js';

(canHaveFailingDisk ? describe : describe.skip)(
  'a disk that fails (needs root, for ext4 on a loop device)',
  () => {
    let disk: FailingDisk;
    let store: EmbeddedEventStore | undefined;
    let clients: EventStoreDBClient[];

    beforeEach(() => {
      disk = makeFailingDisk();
      store = undefined;
      clients = [];
    });

    afterEach(async () => {
      await Promise.all(clients.map((client) => client.dispose()));
      await store?.kill();
      disk.remove();
    });

    async function start(): Promise<EventStoreDBClient> {
      store = await startEmbeddedEventStore({ dir: disk.dir });
      const client = EventStoreDBClient.connectionString(store.url);
      clients.push(client);
      return client;
    }

    it('never serves events that are not durable: it writes them again, or does not start', async () => {
      const client = await start();
      const stream = newStream();
      const events: ReturnType<typeof jsonEvent>[] = [];
      const append = async (to: EventStoreDBClient, n: number): Promise<void> => {
        events[n] ??= jsonEvent({ type: 'tested', data: { n, filling: String(n % 10).repeat(100_000) } });
        const expectedRevision: AppendExpectedRevision = n === 0 ? NO_STREAM : BigInt(n - 1);
        await to.appendToStream(stream, events[n], { expectedRevision });
      };
      let acknowledged = 0;
      for (; acknowledged < 3; acknowledged++) await append(client, acknowledged);
      disk.fail();
      const failing = async (): Promise<void> => {
        for (; ; acknowledged++) await append(client, acknowledged);
      };
      expect((await rejection(failing())).message).toMatch(/unavailable|I\/O error/i);
      expect(await store!.ended).toBe(EXIT_LOG_UNWRITABLE);
      expect(store!.logged()).toMatch(/the event log cannot be written: this process ends/);

      // A restart rewrites the end of the log. The file system may choose intact blocks for it, so it may succeed or
      // fail.
      const restarted = await start().then(
        () => 'started',
        (error: unknown) => (error as EventStoreDidNotStart).exitCode,
      );
      expect(['started', EXIT_LOG_UNWRITABLE]).toContain(restarted);
      await store!.kill();

      disk.heal();
      const again = await start();
      const count = acknowledged + 3;
      for (; acknowledged < count; acknowledged++) await append(again, acknowledged);
      await again.dispose();
      await store!.kill();
      await disk.replug();
      expect(await numbersOf(await start(), stream)).toEqual(Array.from({ length: count }, (_, n) => n));
    });
  },
);
