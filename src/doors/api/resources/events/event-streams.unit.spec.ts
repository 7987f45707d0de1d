import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  deletedAt,
  NOW,
  nothingAt,
  readBy,
  streamsWithoutChanges,
} from '../../../../../test/support/event-streams-bench.js';
import { until } from '../../../../../test/support/until.js';
import { HttpRefusal } from '../../../../server/errors.js';

const messagesOf = (stream: Readable): string[] => {
  const messages: string[] = [];
  stream.on('data', (message: string) => messages.push(message));
  return messages;
};

let stop: (() => void) | undefined;
const streamsOf: typeof streamsWithoutChanges = (mostOpen) => {
  const made = streamsWithoutChanges(mostOpen);
  ({ stop } = made);
  return made;
};

afterEach(() => {
  stop?.();
  jest.useRealTimers();
});

describe('event streams', () => {
  test('start with their position, so that clients can resume there before the first event', async () => {
    const [first] = (await once(streamsOf().begin(), 'data')) as [string];
    expect(first).toContain('\nid: 48\n');
  });

  test('share one read for each token, and each gets its own events', async () => {
    const { begin, news, answers, asked } = streamsOf();
    const streams = [begin('alice'), begin('alice'), begin('bob'), begin('9.9.9.9', nothingAt(48))];
    const told = streams.map(messagesOf);
    await until(() => told.every(({ length }) => length === 1));
    answers.together = ({ credential }) =>
      credential?.tokenHash.toString() === 'bob' ? deletedAt(50) : nothingAt(50);
    news();
    await until(() => told[2]?.length === 2);
    expect(asked).toEqual({ together: [[48, 48, 48]], alone: [] });
    expect(told.map(({ length }) => length)).toEqual([1, 1, 2, 1]);
    news();
    await until(() => asked.together.length === 2);
    expect(asked.together[1]).toEqual([50, 50, 50]);
  });

  test('end when their own caller is refused, and no other does', async () => {
    const { begin, news, answers } = streamsOf();
    const [alice, bob] = [begin('alice'), begin('bob')];
    const [toAlice, toBob] = [messagesOf(alice), messagesOf(bob)];
    await until(() => toAlice.length + toBob.length === 2);
    answers.together = ({ credential }) => {
      if (credential?.tokenHash.toString() === 'bob') throw new HttpRefusal('invalid_token', 'why');
      return deletedAt(50);
    };
    news();
    await once(bob, 'end');
    expect(toBob.at(-1)).toContain('event: end\ndata: {"error":"invalid_token"');
    expect(toAlice.at(-1)).toContain('event: post.deleted');
    expect(alice.destroyed).toBe(false);
  });

  test('read alone while they are behind the others', async () => {
    const { begin, news, answers, asked } = streamsOf();
    const behind = begin('alice', { ...readBy('alice'), revision: 90 });
    const ahead = begin('bob');
    answers.alone = { ...nothingAt(70), revision: 90 };
    const told = [messagesOf(behind), messagesOf(ahead)];
    await until(() => asked.alone.length === 1);
    answers.alone = nothingAt(90);
    await until(() => asked.alone.length === 2);
    expect(asked.alone).toEqual([48, 70]);
    await until(() => told[0]?.length === 3);
    answers.alone = nothingAt(95);
    answers.together = () => nothingAt(95);
    await until(() => {
      news();
      return asked.together.some(({ length }) => length === 2);
    });
  });

  test('catch up at once if they begin behind the others, even if nothing happens', async () => {
    const { begin, news, answers, asked } = streamsOf();
    const told = messagesOf(begin('alice'));
    await until(() => told.length === 1);
    answers.together = () => deletedAt(60);
    news();
    await until(() => told.length === 2);
    answers.alone = deletedAt(60);
    const toBob = messagesOf(begin('bob'));
    await until(() => toBob.length === 2);
    expect(asked.alone).toEqual([48]);
  });

  test('are soon read with the others if they begin during steady events', async () => {
    const { begin, news, answers, asked } = streamsOf();
    let position = 48;
    answers.together = () => nothingAt((position += 1));
    const told = messagesOf(begin('alice'));
    await until(() => told.length === 1);
    const timer = setInterval(news, 5);
    await until(() => asked.together.length > 2);
    begin('bob').resume();
    Object.defineProperty(answers, 'alone', { get: () => nothingAt(position) });
    await until(() => asked.together.filter(({ length }) => length === 2).length > 3);
    clearInterval(timer);
    expect(asked.alone.length).toBeLessThan(4);
  });

  test('that fail together find the reason once', async () => {
    const { begin, news, answers, explained } = streamsOf();
    const streams = [begin('alice'), begin('bob'), begin('alice')];
    const told = streams.map(messagesOf);
    await until(() => told.every(({ length }) => length === 1));
    const fault = new HttpRefusal('protected_read_storage_unavailable', 'why');
    answers.together = () => {
      throw fault;
    };
    news();
    await Promise.all(streams.map((stream) => once(stream, 'end')));
    expect(explained).toEqual([fault]);
  });

  test('are refused to a caller with too many open ones, until one is closed', async () => {
    const { begin } = streamsOf({ ofListener: 1, ofProcess: 5, anonymous: 3 });
    const stream = begin('alice');
    begin('bob');
    expect(() => begin('alice')).toThrow(
      expect.objectContaining({ code: 'pilot_rate_limited', status: 429, retryAfterSeconds: 5 }),
    );
    stream.destroy();
    await once(stream, 'close');
    begin('alice');
  });

  test.each([
    [
      'everybody once the process has its maximum',
      { ofListener: 9, ofProcess: 2, anonymous: 9 },
      readBy('eve'),
    ],
    [
      'anonymous callers once their share is used up',
      { ofListener: 9, ofProcess: 9, anonymous: 1 },
      nothingAt(48),
    ],
  ])('are refused to %s, with a retry time', async (_whom, mostOpen, first) => {
    const { begin } = streamsOf(mostOpen);
    const [one] = [begin('9.9.9.9', nothingAt(48)), begin('alice')];
    expect(() => begin('8.8.8.8', first)).toThrow(
      expect.objectContaining({ code: 'pilot_rate_limited', status: 429, retryAfterSeconds: 30 }),
    );
    one.destroy();
    await once(one, 'close');
    begin('8.8.8.8', first);
  });

  test('end when another incarnation is published, whose headers they lack', async () => {
    const { begin, news, answers } = streamsOf();
    const stream = begin();
    const messages = messagesOf(stream);
    await until(() => messages.length === 1);
    answers.together = () => nothingAt(48, 'i2');
    news();
    await once(stream, 'end');
    expect(messages.at(-1)).toContain('event: end\ndata: {"error":"recovery_publication_changed"');
  });

  // The next heartbeat comes after five seconds.
  test('check the token again at its expiry, even if nothing happened', async () => {
    const { begin, asked, answers } = streamsOf();
    answers.together = () => {
      throw new HttpRefusal('invalid_token', 'why');
    };
    begin('alice', readBy('alice', NOW + 20)).resume();
    expect(await until(() => asked.together[0], 3_000)).toEqual([48]);
  });

  test('send a heartbeat every five seconds, which advances their position', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { begin, asked, answers, clock } = streamsOf();
    answers.together = () => nothingAt(77);
    const stream = begin();
    const messages = messagesOf(stream);
    await once(stream, 'data');
    clock.passedMs = 4_999;
    await jest.advanceTimersByTimeAsync(4_999);
    expect(asked.together).toEqual([]);
    clock.passedMs = 5_000;
    await jest.advanceTimersByTimeAsync(1);
    expect([asked.together, messages.slice(1)]).toEqual([[[48]], [':\nid: 77\n\n']]);
  });

  test('disconnect a client that reads nothing for 20 seconds, and read nothing for it', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { begin, asked, news } = streamsOf();
    const stream = begin();
    // The message is buffered, and nothing reads it.
    await once(stream, 'readable');
    news();
    jest.advanceTimersByTime(19_999);
    expect(stream.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    await once(stream, 'close');
    expect(asked).toEqual({ together: [], alone: [] });
  });

  test('send a retry time when the server stops', async () => {
    const { begin, streams, listening } = streamsOf();
    const messages = messagesOf(begin());
    await until(() => messages.length === 1);
    await streams.onModuleDestroy();
    expect(messages.at(-1)).toBe('retry: 2000\n\n');
    expect(listening.size).toBe(0);
  });
});
