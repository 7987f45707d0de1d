import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LogReplaced, WrongExpectedRevision } from '../../../src/log/event-log.js';
import type { EventLog, ReadOptions } from '../../../src/log/event-log.js';
import type { StoredEvent } from '../../../src/log/registry.js';
import { PersonErased } from '../../../src/log/vault/key-vault.js';
import { appendPost, metadata, newId, post, subscribeUntil } from './log-bench.js';

export interface LogUnderTest {
  readonly log: EventLog;
  readonly destroyKey: (person: string) => Promise<unknown>;
}

/** The cases of each log, wherever it keeps its events: on an event store, or in memory. */
export function itIsALog(underTest: () => LogUnderTest): void {
  const log = () => underTest().log;

  describe('a log', () => {
    it('reads back an appended event, decrypted, with its revision and position', async () => {
      const { id, stream, postId, revision, position } = await appendPost(log(), 'alice', 'grüezi');
      expect(revision).toBe(0n);
      expect(await log().read(stream)).toEqual([
        {
          id,
          stream,
          revision: 0n,
          position,
          event: post(postId, 'alice', 'grüezi'),
          metadata,
          erased: false,
        },
      ]);
      expect(await log().head()).toBe(position);
    });

    it('reads nothing from an unknown stream', async () => {
      expect(await log().read(`post-${newId()}`)).toEqual([]);
    });

    it('reads a long stream whole, or in part from either end', async () => {
      const stream = `like-${newId()}`;
      const tie = { kind: 'like', actorId: 'a', targetId: 'p', targetActorId: 'b', at: 1 } as const;
      const generations = Array.from({ length: 501 }, (_, n) => n + 1);
      await log().append({
        stream,
        expected: 'no_stream',
        events: generations.map((generation) => ({
          id: randomUUID(),
          event: { type: 'relation.established', data: { ...tie, generation } },
        })),
        metadata,
      });
      const read = async (options?: ReadOptions) =>
        (await log().read(stream, options)).map(({ revision }) => Number(revision) + 1);
      expect(await read()).toEqual(generations);
      expect(await read({ direction: 'backwards' })).toEqual(generations.toReversed());
      expect(await read({ from: 1n, limit: 500 })).toEqual(generations.slice(1));
      expect(await read({ limit: 3 })).toEqual([1, 2, 3]);
      expect(await read({ from: 1n, direction: 'backwards' })).toEqual([2, 1]);
    });

    it('refuses an append with a wrong expected revision', async () => {
      const { stream, postId } = await appendPost(log(), 'alice', 'once');
      const event: StoredEvent = { type: 'post.deleted', data: { postId, authorActorId: 'alice', at: 2 } };
      const events = [{ id: randomUUID(), event }];
      const append = (expected: 'no_stream' | bigint) => log().append({ stream, expected, events, metadata });
      await expect(append('no_stream')).rejects.toBeInstanceOf(WrongExpectedRevision);
      await expect(append(7n)).rejects.toBeInstanceOf(WrongExpectedRevision);
      await expect(append(0n)).resolves.toMatchObject({ revision: 1n });
    });

    it('stores a repeated append once', async () => {
      const postId = newId();
      const append = {
        stream: `post-${postId}`,
        expected: 'no_stream' as const,
        events: [{ id: randomUUID(), event: post(postId, 'alice', 'twice') }],
        metadata,
      };
      const first = await log().append(append);
      expect(await log().append(append)).toEqual(first);
      expect(await log().read(append.stream)).toHaveLength(1);
    });

    it('stores an append once that is repeated at the same time, and another one on its stream never', async () => {
      const postId = newId();
      const events = [{ id: randomUUID(), event: post(postId, 'alice', 'once') }];
      const once = { stream: `post-${postId}`, expected: 'no_stream', events, metadata } as const;
      const [one, ...others] = await Promise.all(Array.from({ length: 4 }, () => log().append(once)));
      for (const other of others) expect(other).toEqual(one);
      const another = [{ id: randomUUID(), event: post(postId, 'alice', 'another') }];
      await expect(log().append({ ...once, events: another })).rejects.toBeInstanceOf(WrongExpectedRevision);
    });

    it('finds and verifies an event by its id, and neither another one nor a position inside of it', async () => {
      const { stream, id, position } = await appendPost(log(), 'alice', 'here');
      expect(await log().find(stream, id)).toMatchObject({ id, stream, position });
      expect(await log().find(stream, randomUUID())).toBeUndefined();
      await expect(log().verify({ position, eventId: id })).resolves.toBeUndefined();
      for (const at of [position + 1n, position + 40n])
        await expect(log().verify({ position: at, eventId: id })).rejects.toBeInstanceOf(LogReplaced);
    });

    it('appends several events whole, or none of them', async () => {
      const { stream, postId, position } = await appendPost(log(), 'alice', 'first');
      const state = (type: 'post.restricted' | 'post.unrestricted') => ({
        id: randomUUID(),
        event: { type, data: { postId, authorActorId: 'alice', at: 2 } } as StoredEvent,
      });
      const events = [state('post.restricted'), state('post.unrestricted')];
      const appended = await log().append({ stream, expected: 0n, events, metadata });
      const stored = await log().read(stream);
      expect(stored.map(({ id }) => id).slice(1)).toEqual(events.map(({ id }) => id));
      expect(appended.revision).toBe(2n);
      expect(appended.position).toBeGreaterThan(position);
      const more = [state('post.restricted'), state('post.unrestricted')];
      await expect(log().append({ stream, expected: 0n, events: more, metadata })).rejects.toBeInstanceOf(
        WrongExpectedRevision,
      );
      const longer = [...events, state('post.restricted')];
      await expect(log().append({ stream, expected: 0n, events: longer, metadata })).rejects.toBeInstanceOf(
        WrongExpectedRevision,
      );
      expect(await log().read(stream)).toHaveLength(3);
      expect(await log().prove()).toBeUndefined();
      expect((await log().leadership()).holds).toBe(true);
    });

    it('refuses an event with a wrong shape', async () => {
      const event = {
        type: 'post.created',
        data: { postId: 'x', text: 'no author' },
      } as unknown as StoredEvent;
      const events = [{ id: randomUUID(), event }];
      const stream = `post-${newId()}`;
      await expect(log().append({ stream, expected: 'no_stream', events, metadata })).rejects.toThrow(
        'authorActorId',
      );
      expect(await log().read(stream)).toEqual([]);
    });

    it.each(['a\u0000b', 'a\ud800'])('refuses text that no database can store: %j', async (text) => {
      const postId = newId();
      await expect(appendPost(log(), 'alice', text, postId)).rejects.toMatchObject({ code: 'invalid_text' });
      const noted = log().append({
        stream: `post-${postId}`,
        expected: 'no_stream',
        events: [{ id: randomUUID(), event: post(postId, 'alice', 'fine') }],
        metadata: { requestId: 'test', reason: text },
      });
      await expect(noted).rejects.toMatchObject({ code: 'invalid_text' });
      expect(await log().read(`post-${postId}`)).toEqual([]);
    });

    it('reads placeholders for the texts of an erased person, and encrypts nothing more for them', async () => {
      const erin = newId();
      const { stream } = await appendPost(log(), erin, 'soon unreadable');
      await underTest().destroyKey(erin);
      expect(await log().read(stream)).toMatchObject([
        { erased: true, event: { data: { authorActorId: erin, text: '' } } },
      ]);
      await expect(appendPost(log(), erin, 'x')).rejects.toBeInstanceOf(PersonErased);
      expect(await log().read(stream)).toHaveLength(1);
    });
  });

  describe('a subscription of a log', () => {
    it('delivers the events of the requested types in order, then reports that it has caught up', async () => {
      const first = await appendPost(log(), 'alice', 'one');
      const after = { position: first.position, eventId: first.id };
      const second = await appendPost(log(), 'alice', 'two');
      await log().append({
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
      const third = await appendPost(log(), 'alice', 'three');
      const seen = await subscribeUntil(log(), after, ({ caughtUp }) => caughtUp);
      expect(seen.map(({ id }) => id)).toEqual([second.id, third.id]);
    });

    it('delivers later events', async () => {
      const first = await appendPost(log(), 'alice', 'before');
      let later: string | undefined;
      const seen = await subscribeUntil(
        log(),
        { position: first.position, eventId: first.id },
        ({ caughtUp }, all) => {
          if (caughtUp && later === undefined) {
            later = '';
            void appendPost(log(), 'alice', 'after').then(({ id }) => (later = id));
          }
          return all.length > 0;
        },
      );
      expect(seen.map(({ event }) => event)).toMatchObject([{ data: { text: 'after' } }]);
    });

    it('keeps to the batch size', async () => {
      const first = await appendPost(log(), 'alice', 'start');
      for (let n = 0; n < 7; n++) await appendPost(log(), 'alice', `number ${n}`);
      const sizes: number[] = [];
      await subscribeUntil(
        log(),
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
      const { position } = await appendPost(log(), 'alice', 'here');
      const resume = (at: bigint) =>
        subscribeUntil(log(), { position: at, eventId: randomUUID() }, () => true);
      await Promise.all(
        [position, position + 1n, position * 1_000n].map((at) =>
          expect(resume(at)).rejects.toBeInstanceOf(LogReplaced),
        ),
      );
    });
  });
}
