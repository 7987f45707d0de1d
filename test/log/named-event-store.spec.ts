import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEventStoreAddress } from '../../src/base/config/event-store-files.js';
import { LogReplaced, WrongExpectedRevision } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import { isClusterAddress } from '../../src/log/eventstoredb/gossip.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { streams } from '../../src/log/streams.js';
import { configuredEventStoreUrl } from '../support/configured-event-store.js';
import { LogBench, metadata, post } from './support/log-bench.js';

const url = configuredEventStoreUrl();

/** A real server or cluster, which may have events of other tests and networks. */
(url === undefined ? describe.skip : describe)(
  'the log on the event store that EVENTSTORE_URL names (needs one)',
  () => {
    let bench: LogBench;
    let opened: OpenLog;
    let log: EventLog;

    beforeAll(async () => {
      bench = await LogBench.open();
      opened = await bench.openAnother(url);
      log = opened.log;
    });
    afterAll(async () => {
      await opened?.close();
      await bench?.close();
    });

    const append = () => bench.appendPost('alice', 'words', undefined, log);

    it('has an appended event, however it is read', async () => {
      const first = await append();
      const second = await append();
      const [event, ...others] = await log.read(second.stream);
      expect([event?.id, event?.position, others]).toEqual([second.id, second.position, []]);
      expect(await log.find(first.stream, first.id)).toMatchObject({ position: first.position });
      await expect(log.verify({ position: first.position, eventId: first.id })).resolves.toBeUndefined();
      expect(await log.head()).toBeGreaterThanOrEqual(second.position);
      const stopping = new AbortController();
      const seen: string[] = [];
      const after = { position: first.position, eventId: first.id };
      const options = { after, types: ['post.created'], batchSize: 10, signal: stopping.signal } as const;
      for await (const { events } of log.references(options)) {
        seen.push(...events.map(({ id }) => id));
        if (seen.includes(second.id)) stopping.abort();
      }
      expect(seen).toContain(second.id);
      expect(seen).not.toContain(first.id);
    });

    it('stores a repeated append once', async () => {
      const postId = randomUUID();
      const events = [{ id: randomUUID(), event: post(postId, 'alice', 'once') }];
      const once = { stream: `post-${postId}`, expected: 'no_stream', events, metadata } as const;
      const [one, ...others] = await Promise.all(Array.from({ length: 4 }, () => log.append(once)));
      for (const other of others) expect(other).toEqual(one);
      const another = [{ id: randomUUID(), event: post(postId, 'alice', 'another') }];
      await expect(log.append({ ...once, events: another })).rejects.toBeInstanceOf(WrongExpectedRevision);
    });

    it('reports a position in the middle of an event as a missing event, not as an outage', async () => {
      const { position, id } = await append();
      for (const inside of [position + 1n, position + 40n])
        await expect(log.verify({ position: inside, eventId: id })).rejects.toBeInstanceOf(LogReplaced);
    });

    it('proves its leader if it has several nodes, without a stream or an event', async () => {
      const isCluster = url !== undefined && isClusterAddress(readEventStoreAddress(url));
      const head = await log.head();
      for (let times = 0; times < 3; times++)
        expect((await log.prove())?.holds).toBe(isCluster ? true : undefined);
      expect([await log.read(streams.barrier()), await log.head()]).toEqual([[], head]);
    });

    it('accepts the largest appends, and its settings suffice', async () => {
      await expect(log.checkWritable()).resolves.toBeUndefined();
      expect(await log.explain('read')).toBeUndefined();
    });
  },
);
