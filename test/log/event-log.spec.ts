import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent, StreamNotFoundError } from '@eventstore/db-client';
import { LogReplaced, UnreadableEvent, WrongExpectedRevision } from '../../src/log/event-log.js';
import type { ReadOptions } from '../../src/log/event-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import { PersonErased } from '../../src/log/vault/key-vault.js';
import { LogBench, metadata, newId, post } from './support/log-bench.js';

type EncryptedData = { sealed: unknown } | undefined;

let bench: LogBench;

beforeAll(async () => {
  bench = await LogBench.open();
});

afterAll(() => bench?.close());

describe('the log', () => {
  it('reads back an appended event, decrypted, with its revision and position', async () => {
    const { id, stream, postId, revision, position } = await bench.appendPost('alice', 'grüezi');
    expect(revision).toBe(0n);
    expect(await bench.log.read(stream)).toEqual([
      { id, stream, revision: 0n, position, event: post(postId, 'alice', 'grüezi'), metadata, erased: false },
    ]);
    expect(await bench.log.head()).toBe(position);
  });

  it('reads nothing from an unknown stream', async () => {
    expect(await bench.log.read(`post-${newId()}`)).toEqual([]);
  });

  it('reads a long stream whole, or in part from either end', async () => {
    const stream = `like-${newId()}`;
    const tie = { kind: 'like', actorId: 'a', targetId: 'p', targetActorId: 'b', at: 1 } as const;
    const generations = Array.from({ length: 501 }, (_, n) => n + 1);
    await bench.log.append({
      stream,
      expected: 'no_stream',
      events: generations.map((generation) => ({
        id: randomUUID(),
        event: { type: 'relation.established', data: { ...tie, generation } },
      })),
      metadata,
    });
    const read = async (options?: ReadOptions) =>
      (await bench.log.read(stream, options)).map(({ revision }) => Number(revision) + 1);
    expect(await read()).toEqual(generations);
    expect(await read({ direction: 'backwards' })).toEqual(generations.toReversed());
    expect(await read({ from: 1n, limit: 500 })).toEqual(generations.slice(1));
    expect(await read({ limit: 3 })).toEqual([1, 2, 3]);
    expect(await read({ from: 1n, direction: 'backwards' })).toEqual([2, 1]);
  });

  it('refuses an append with a wrong expected revision', async () => {
    const { stream, postId } = await bench.appendPost('alice', 'once');
    const event: StoredEvent = { type: 'post.deleted', data: { postId, authorActorId: 'alice', at: 2 } };
    const events = [{ id: randomUUID(), event }];
    const append = (expected: 'no_stream' | bigint) =>
      bench.log.append({ stream, expected, events, metadata });
    await expect(append('no_stream')).rejects.toBeInstanceOf(WrongExpectedRevision);
    await expect(append(7n)).rejects.toBeInstanceOf(WrongExpectedRevision);
    await expect(append(0n)).resolves.toMatchObject({ revision: 1n });
  });

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

  it('stores a repeated append once', async () => {
    const postId = newId();
    const append = {
      stream: `post-${postId}`,
      expected: 'no_stream' as const,
      events: [{ id: randomUUID(), event: post(postId, 'alice', 'twice') }],
      metadata,
    };
    const first = await bench.log.append(append);
    expect(await bench.log.append(append)).toEqual(first);
    expect(await bench.log.read(append.stream)).toHaveLength(1);
  });

  it('refuses an event with a wrong shape', async () => {
    const event = {
      type: 'post.created',
      data: { postId: 'x', text: 'no author' },
    } as unknown as StoredEvent;
    const events = [{ id: randomUUID(), event }];
    const stream = `post-${newId()}`;
    await expect(bench.log.append({ stream, expected: 'no_stream', events, metadata })).rejects.toThrow(
      'authorActorId',
    );
    expect(await bench.log.read(stream)).toEqual([]);
  });

  it.each(['a\u0000b', 'a\ud800'])('refuses text that no database can store: %j', async (text) => {
    const postId = newId();
    await expect(bench.appendPost('alice', text, postId)).rejects.toMatchObject({ code: 'invalid_text' });
    const noted = bench.log.append({
      stream: `post-${postId}`,
      expected: 'no_stream',
      events: [{ id: randomUUID(), event: post(postId, 'alice', 'fine') }],
      metadata: { requestId: 'test', reason: text },
    });
    await expect(noted).rejects.toMatchObject({ code: 'invalid_text' });
    expect(await bench.log.read(`post-${postId}`)).toEqual([]);
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

  it('reads placeholders for the texts of an erased person, and encrypts nothing more for them', async () => {
    const erin = newId();
    const { stream } = await bench.appendPost(erin, 'soon unreadable');
    await bench.vaultDatabase.query(
      'UPDATE person_key SET key = NULL, destroyed_at = now() WHERE person_id = $1',
      [erin],
    );
    const reopened = await bench.openAnother();
    try {
      expect(await reopened.log.read(stream)).toMatchObject([
        { erased: true, event: { data: { authorActorId: erin, text: '' } } },
      ]);
      const events = [{ id: randomUUID(), event: post('p', erin, 'x') }];
      await expect(
        reopened.log.append({ stream: `post-${newId()}`, expected: 'no_stream', events, metadata }),
      ).rejects.toBeInstanceOf(PersonErased);
    } finally {
      await reopened.close();
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
  it('delivers the events of the requested types in order, then reports that it has caught up', async () => {
    const first = await bench.appendPost('alice', 'one');
    const after = { position: first.position, eventId: first.id };
    const second = await bench.appendPost('alice', 'two');
    await bench.log.append({
      stream: `grant-${newId()}`,
      expected: 'no_stream',
      events: [
        {
          id: randomUUID(),
          event: {
            type: 'grant.issued',
            data: { grantId: 'g', appId: 'a', actorId: 'b', scopes: [], at: 1 },
          },
        },
      ],
      metadata,
    });
    const third = await bench.appendPost('alice', 'three');
    const seen = await bench.subscribeUntil(after, ({ caughtUp }) => caughtUp);
    expect(seen.map(({ id }) => id)).toEqual([second.id, third.id]);
  });

  it('delivers later events', async () => {
    const first = await bench.appendPost('alice', 'before');
    let later: string | undefined;
    const seen = await bench.subscribeUntil(
      { position: first.position, eventId: first.id },
      ({ caughtUp }, all) => {
        if (caughtUp && later === undefined) {
          later = '';
          void bench.appendPost('alice', 'after').then(({ id }) => (later = id));
        }
        return all.length > 0;
      },
    );
    expect(seen.map(({ event }) => event)).toMatchObject([{ data: { text: 'after' } }]);
  });

  it('keeps to the batch size', async () => {
    const first = await bench.appendPost('alice', 'start');
    for (let n = 0; n < 7; n++) await bench.appendPost('alice', `number ${n}`);
    const sizes: number[] = [];
    await bench.subscribeUntil(
      { position: first.position, eventId: first.id },
      ({ events, caughtUp }) => {
        sizes.push(events.length);
        return caughtUp;
      },
      { batchSize: 3 },
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
  });

  it('refuses to resume after an event that the log does not have at that position', async () => {
    const { position } = await bench.appendPost('alice', 'here');
    const resume = (at: bigint) => bench.subscribeUntil({ position: at, eventId: randomUUID() }, () => true);
    await Promise.all(
      [position, position + 1n, position * 1_000n].map((at) =>
        expect(resume(at)).rejects.toBeInstanceOf(LogReplaced),
      ),
    );
  });

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
