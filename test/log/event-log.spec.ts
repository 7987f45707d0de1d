import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent, StreamNotFoundError } from '@eventstore/db-client';
import { UnreadableEvent } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { metadata, LogBench, newId, post } from './support/log-bench.js';
import { itIsALog } from './support/log-contract.js';

type EncryptedData = { sealed: unknown } | undefined;

let bench: LogBench;

beforeAll(async () => {
  bench = await LogBench.open();
});

afterAll(() => bench?.close());

itIsALog(() => ({ log: bench.log, destroyKey: (person) => bench.vault.destroy(person, undefined) }));

describe('the log on an event store', () => {
  it('checks whether the store accepts appends, without writing an event', async () => {
    const { position } = await bench.appendPost('alice', 'the newest');
    await expect(bench.log.checkWritable()).resolves.toBeUndefined();
    const client = EventStoreDBClient.connectionString(bench.store.url);
    try {
      const reading = client.readStream(streams.readiness());
      await expect(reading[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(StreamNotFoundError);
    } finally {
      await client.dispose();
    }
    expect(await bench.log.head()).toBe(position);
  });

  it('stores personal fields encrypted', async () => {
    const { stream } = await bench.appendPost('alice', 'nobody reads this in the store');
    const client = EventStoreDBClient.connectionString(bench.store.url);
    try {
      for await (const { event } of client.readStream(stream)) {
        expect(JSON.stringify(event?.data)).not.toContain('nobody reads');
        expect(event?.data).toMatchObject({ authorActorId: 'alice', sealed: { keyId: expect.any(String) } });
      }
    } finally {
      await client.dispose();
    }
  });

  it('refuses to read events with unencrypted personal fields', async () => {
    const { stream } = await bench.appendPost('alice', 'her own words');
    const client = EventStoreDBClient.connectionString(bench.store.url);
    const appendForged = async (change: object) => {
      const postId = newId();
      const forged = { ...post(postId, 'alice', 'never said').data, ...change };
      const withMetadata = { ...metadata, schemaVersion: 2 };
      await client.appendToStream(
        `post-${postId}`,
        jsonEvent({ type: 'post.created', data: forged, metadata: withMetadata }),
      );
      return `post-${postId}`;
    };
    try {
      let sealed: unknown;
      for await (const { event } of client.readStream(stream))
        sealed = (event?.data as EncryptedData)?.sealed;
      for (const change of [{}, { sealed }, { sealed: null }]) {
        const reading = bench.log.read(await appendForged(change));
        await expect(reading).rejects.toThrow(UnreadableEvent);
        await expect(reading).rejects.toThrow('personal fields are not encrypted');
      }
    } finally {
      await client.dispose();
    }
  });

  it('refuses to read an event whose key the vault never had', async () => {
    const zoe = newId();
    const { stream } = await bench.appendPost(zoe, 'from another vault');
    await bench.vaultDatabase.query('DELETE FROM person_key WHERE person_id = $1', [zoe]);
    const reopened = await bench.openAnother();
    try {
      await expect(reopened.log.read(stream)).rejects.toBeInstanceOf(UnreadableEvent);
    } finally {
      await reopened.close();
    }
    await bench.vaultDatabase.query('INSERT INTO person_key (key_id, person_id, key) VALUES ($1, $2, $3)', [
      randomUUID(),
      zoe,
      randomBytes(32),
    ]);
  });
});

describe('a subscription', () => {
  it('delivers the events before an unreadable one, then names that one', async () => {
    const good = await bench.appendPost('alice', 'good');
    const after = { position: good.position, eventId: good.id };
    const next = await bench.appendPost('alice', 'also good');
    const client = EventStoreDBClient.connectionString(bench.store.url);
    const bad = jsonEvent({ type: 'post.created', data: { postId: 1 }, metadata: { schemaVersion: 1 } });
    await client.appendToStream(`post-${newId()}`, bad);
    await client.dispose();
    const seen: string[] = [];
    const following = bench.subscribeUntil(after, ({ events }) => {
      seen.push(...events.map(({ id }) => id));
      return false;
    });
    await expect(following).rejects.toThrow(bad.id);
    expect(seen).toEqual([next.id]);
  });
});
