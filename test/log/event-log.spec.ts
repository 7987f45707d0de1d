import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { Client } from 'pg';
import {
  LogReplaced,
  LogUnavailable,
  UnreadableEvent,
  WrongExpectedRevision,
} from '../../src/log/event-log.js';
import type { Batch, Checkpoint, ReadOptions, SubscribeOptions } from '../../src/log/event-log.js';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { PersonErased } from '../../src/log/vault/key-vault.js';
import { startEmbeddedEventStore } from '../support/event-store.js';
import type { EmbeddedEventStore } from '../support/event-store.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

let store: EmbeddedEventStore;
let postgres: TestPostgres;
let vaultUrl: string;
let vaultDatabase: Client;
let opened: OpenLog;

beforeAll(async () => {
  [store, postgres] = await Promise.all([startEmbeddedEventStore(), startTestPostgres()]);
  vaultUrl = await postgres.createDatabase();
  opened = await open();
  vaultDatabase = new Client({ connectionString: vaultUrl });
  await vaultDatabase.connect();
});

afterAll(async () => {
  await opened?.close();
  await vaultDatabase?.end();
  await Promise.all([store?.stop(), postgres?.stop()]);
});

const open = () =>
  openLog({
    eventStoreUrl: store.url,
    vaultDatabaseUrl: vaultUrl,
    applicationName: 'log-test',
  });
const newId = () => randomBytes(12).toString('base64url');
const metadata = { requestId: 'test' };

function post(postId: string, authorActorId: string, text: string): StoredEvent {
  return {
    type: 'post.created',
    data: { postId, authorActorId, appId: 'app', text, audience: 'public', mentions: [], at: 1 },
  };
}

async function appendPost(author: string, text: string, postId = newId()) {
  const id = randomUUID();
  const stream = `post-${postId}`;
  const event = post(postId, author, text);
  const appended = await opened.log.append({
    stream,
    expected: 'no_stream',
    events: [{ id, event }],
    metadata,
  });
  return { ...appended, id, stream, postId };
}

/** The first events after a checkpoint, until `enough` says so. */
async function follow(
  after: Checkpoint | undefined,
  enough: (batch: Batch, seen: Batch['events']) => boolean,
  options: Partial<SubscribeOptions> = {},
): Promise<Batch['events']> {
  const stop = new AbortController();
  const seen: Batch['events'][number][] = [];
  const types = ['post.created', 'post.deleted'] as const;
  for await (const batch of opened.log.subscribe({
    after,
    types,
    batchSize: 10,
    signal: stop.signal,
    ...options,
  })) {
    seen.push(...batch.events);
    if (enough(batch, seen)) break;
  }
  return seen;
}

describe('the log', () => {
  it('gives back what was appended, opened, with its place', async () => {
    const { id, stream, postId, revision, position } = await appendPost('alice', 'grüezi');
    expect(revision).toBe(0n);
    expect(await opened.log.read(stream)).toEqual([
      { id, stream, revision: 0n, position, event: post(postId, 'alice', 'grüezi'), metadata, erased: false },
    ]);
    expect(await opened.log.head()).toBe(position);
  });

  it('answers nothing for a stream that is not there', async () => {
    expect(await opened.log.read(`post-${newId()}`)).toEqual([]);
  });

  it('reads a long stream whole, or as much of it as is asked for, from either end', async () => {
    const stream = `like-${newId()}`;
    const tie = { kind: 'like', actorId: 'a', targetId: 'p', targetActorId: 'b', at: 1 } as const;
    const generations = Array.from({ length: 501 }, (_, n) => n + 1);
    await opened.log.append({
      stream,
      expected: 'no_stream',
      events: generations.map((generation) => ({
        id: randomUUID(),
        event: { type: 'relation.established', data: { ...tie, generation } },
      })),
      metadata,
    });
    const read = async (options?: ReadOptions) =>
      (await opened.log.read(stream, options)).map(({ revision }) => Number(revision) + 1);
    expect(await read()).toEqual(generations);
    expect(await read({ direction: 'backwards' })).toEqual(generations.toReversed());
    expect(await read({ from: 1n, limit: 500 })).toEqual(generations.slice(1));
    expect(await read({ limit: 3 })).toEqual([1, 2, 3]);
    expect(await read({ from: 1n, direction: 'backwards' })).toEqual([2, 1]);
  });

  it('refuses an append at a revision that the stream is not at', async () => {
    const { stream, postId } = await appendPost('alice', 'once');
    const event: StoredEvent = { type: 'post.deleted', data: { postId, authorActorId: 'alice', at: 2 } };
    const events = [{ id: randomUUID(), event }];
    const append = (expected: 'no_stream' | bigint) =>
      opened.log.append({ stream, expected, events, metadata });
    await expect(append('no_stream')).rejects.toBeInstanceOf(WrongExpectedRevision);
    await expect(append(7n)).rejects.toBeInstanceOf(WrongExpectedRevision);
    await expect(append(0n)).resolves.toMatchObject({ revision: 1n });
  });

  it('takes the same append twice for one', async () => {
    const postId = newId();
    const append = {
      stream: `post-${postId}`,
      expected: 'no_stream' as const,
      events: [{ id: randomUUID(), event: post(postId, 'alice', 'twice') }],
      metadata,
    };
    const first = await opened.log.append(append);
    expect(await opened.log.append(append)).toEqual(first);
    expect(await opened.log.read(append.stream)).toHaveLength(1);
  });

  it('does not write an event of another shape', async () => {
    const event = {
      type: 'post.created',
      data: { postId: 'x', text: 'no author' },
    } as unknown as StoredEvent;
    const events = [{ id: randomUUID(), event }];
    const stream = `post-${newId()}`;
    await expect(opened.log.append({ stream, expected: 'no_stream', events, metadata })).rejects.toThrow(
      'authorActorId',
    );
    expect(await opened.log.read(stream)).toEqual([]);
  });

  it.each(['a\u0000b', 'a\ud800'])('does not write what no database could keep: %j', async (text) => {
    const postId = newId();
    await expect(appendPost('alice', text, postId)).rejects.toMatchObject({ code: 'invalid_text' });
    const noted = opened.log.append({
      stream: `post-${postId}`,
      expected: 'no_stream',
      events: [{ id: randomUUID(), event: post(postId, 'alice', 'fine') }],
      metadata: { requestId: 'test', reason: text },
    });
    await expect(noted).rejects.toMatchObject({ code: 'invalid_text' });
    expect(await opened.log.read(`post-${postId}`)).toEqual([]);
  });

  it('keeps personal fields sealed in what it stores', async () => {
    const { stream } = await appendPost('alice', 'nobody reads this in the store');
    const client = EventStoreDBClient.connectionString(store.url);
    try {
      for await (const { event } of client.readStream(stream)) {
        expect(JSON.stringify(event?.data)).not.toContain('nobody reads');
        expect(event?.data).toMatchObject({ authorActorId: 'alice', sealed: { keyId: expect.any(String) } });
      }
    } finally {
      await client.dispose();
    }
  });

  it('shows placeholders once a key is destroyed, and seals nothing more for that person', async () => {
    const erin = newId();
    const { stream } = await appendPost(erin, 'soon unreadable');
    await vaultDatabase.query('UPDATE person_key SET key = NULL, destroyed_at = now() WHERE person_id = $1', [
      erin,
    ]);
    const reopened = await open();
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

  it('does not read what was sealed with a key that the vault never had', async () => {
    const zoe = newId();
    const { stream } = await appendPost(zoe, 'from another vault');
    await vaultDatabase.query('DELETE FROM person_key WHERE person_id = $1', [zoe]);
    const reopened = await open();
    try {
      await expect(reopened.log.read(stream)).rejects.toBeInstanceOf(UnreadableEvent);
    } finally {
      await reopened.close();
    }
    await vaultDatabase.query('INSERT INTO person_key (key_id, person_id, key) VALUES ($1, $2, $3)', [
      randomUUID(),
      zoe,
      randomBytes(32),
    ]);
  });
});

describe('a subscription', () => {
  it('hands out the events of the wanted types in order, then says that it has caught up', async () => {
    const first = await appendPost('alice', 'one');
    const after = { position: first.position, eventId: first.id };
    const second = await appendPost('alice', 'two');
    await opened.log.append({
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
    const third = await appendPost('alice', 'three');
    const seen = await follow(after, ({ caughtUp }) => caughtUp);
    expect(seen.map(({ id }) => id)).toEqual([second.id, third.id]);
  });

  it('goes on with what comes later', async () => {
    const first = await appendPost('alice', 'before');
    let later: string | undefined;
    const seen = await follow({ position: first.position, eventId: first.id }, ({ caughtUp }, all) => {
      if (caughtUp && later === undefined) {
        later = '';
        void appendPost('alice', 'after').then(({ id }) => (later = id));
      }
      return all.length > 0;
    });
    expect(seen.map(({ event }) => event)).toMatchObject([{ data: { text: 'after' } }]);
  });

  it('keeps to the size of a batch', async () => {
    const first = await appendPost('alice', 'start');
    for (let n = 0; n < 7; n++) await appendPost('alice', `number ${n}`);
    const sizes: number[] = [];
    await follow(
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

  it('refuses to resume after an event that the log does not have there', async () => {
    const { position } = await appendPost('alice', 'here');
    const resume = (checkpoint: Checkpoint) => follow(checkpoint, () => true);
    await expect(resume({ position, eventId: randomUUID() })).rejects.toBeInstanceOf(LogReplaced);
    await expect(resume({ position: position + 1n, eventId: randomUUID() })).rejects.toBeInstanceOf(
      LogReplaced,
    );
    await expect(resume({ position: position * 1_000n, eventId: randomUUID() })).rejects.toBeInstanceOf(
      LogReplaced,
    );
  });

  it('hands out what comes before an event that it cannot read, then names that one', async () => {
    const good = await appendPost('alice', 'good');
    const after = { position: good.position, eventId: good.id };
    const next = await appendPost('alice', 'also good');
    const client = EventStoreDBClient.connectionString(store.url);
    const bad = jsonEvent({ type: 'post.created', data: { postId: 1 }, metadata: { schemaVersion: 1 } });
    await client.appendToStream(`post-${newId()}`, bad);
    await client.dispose();
    const seen: string[] = [];
    const following = follow(after, ({ events }) => {
      seen.push(...events.map(({ id }) => id));
      return false;
    });
    await expect(following).rejects.toThrow(bad.id);
    expect(seen).toEqual([next.id]);
  });
});

describe('when answers get lost', () => {
  it('an append that landed is acknowledged once, however often it was tried', async () => {
    const proxy = await startTcpProxy(store.port);
    const through = await openLog({
      eventStoreUrl: `esdb://127.0.0.1:${proxy.port}?tls=false`,
      vaultDatabaseUrl: vaultUrl,
      applicationName: 'log-test',
    });
    try {
      const append = (postId: string) => ({
        stream: `post-${postId}`,
        expected: 'no_stream' as const,
        events: [{ id: randomUUID(), event: post(postId, 'alice', 'lost and found') }],
        metadata,
      });
      await through.log.append(append(newId()));
      proxy.loseAnswers();
      const lost = append(newId());
      const appending = through.log.append(lost);
      // It is there, and nobody who asked for it knows.
      const [landed] = await until(async () => {
        const found = await opened.log.read(lost.stream);
        return found.length > 0 && found;
      });
      proxy.mend();
      expect(await appending).toEqual({ revision: 0n, position: landed?.position });
      expect(await opened.log.read(lost.stream)).toHaveLength(1);
    } finally {
      await through.close();
      await proxy.close();
    }
  });
});

describe('while the event store is frozen', () => {
  it('an append is given up within its deadline, and the same intent works later', async () => {
    const postId = newId();
    process.kill(store.pid, 'SIGSTOP');
    try {
      const begun = performance.now();
      await expect(appendPost('alice', 'too slow', postId)).rejects.toBeInstanceOf(LogUnavailable);
      expect(performance.now() - begun).toBeLessThan(8_000);
      await expect(opened.log.head()).rejects.toBeInstanceOf(LogUnavailable);
    } finally {
      process.kill(store.pid, 'SIGCONT');
    }
    // What was given up may have landed all the same: at most once.
    await until(() =>
      opened.log.head().then(
        () => true,
        () => false,
      ),
    );
    await appendPost('alice', 'again', postId).catch((error: unknown) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    });
    expect(await opened.log.read(`post-${postId}`)).toHaveLength(1);
  });
});

describe('while the event store is away', () => {
  it('says that nothing is known, and works again when it is back', async () => {
    const before = await appendPost('alice', 'before the outage');
    await store.kill('SIGKILL');
    await expect(appendPost('alice', 'during the outage')).rejects.toBeInstanceOf(LogUnavailable);
    await expect(opened.log.read(before.stream)).rejects.toBeInstanceOf(LogUnavailable);
    store = await startEmbeddedEventStore({ dir: store.dir, port: store.port });
    await expect(appendPost('alice', 'after the outage')).resolves.toMatchObject({ revision: 0n });
    expect(await opened.log.read(before.stream)).toHaveLength(1);
  });

  it('a subscription waits, and goes on after the last event that it handed out', async () => {
    const first = await appendPost('alice', 'before the restart');
    const stop = new AbortController();
    const subscription = opened.log.subscribe({
      after: { position: first.position, eventId: first.id },
      types: ['post.created'],
      batchSize: 10,
      signal: stop.signal,
    });
    const seen: string[] = [];
    const following = (async () => {
      for await (const { events } of subscription) {
        seen.push(...events.map(({ id }) => id));
        if (seen.length === 2) break;
      }
    })();
    const second = await appendPost('alice', 'still before');
    await until(() => seen.length === 1);
    await store.kill('SIGKILL');
    store = await startEmbeddedEventStore({ dir: store.dir, port: store.port });
    const third = await until(() => appendPost('alice', 'after').catch(() => undefined));
    await following;
    expect(seen).toEqual([second.id, third.id]);
  });
});
