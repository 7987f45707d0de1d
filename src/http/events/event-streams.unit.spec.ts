import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Read } from '../admission/protected-reads.js';
import { HttpRefusal } from '../errors.js';
import { until } from '../../../test/support/until.js';
import { EventStreams } from './event-streams.js';

const NOW = 1_763_700_000_000;

const alice = { actorId: 'alice', appId: 'pebble', grantId: 'g', scopes: ['read'] };
const nothingAt = (cursor: number, incarnation = 'i1'): Read<FeedPage> => ({
  result: { events: [], cursor, replace: false },
  caller: undefined,
  incarnation,
  revision: cursor,
});

/** A stream that begins at 48 where nothing happens, and what it asked and listens to. */
function begun({ first = nothingAt(48), next = nothingAt(48) } = {}) {
  const listening = new Set<() => void>();
  const subscribe = (onNews: () => void) => {
    listening.add(onNews);
    return () => void listening.delete(onNews);
  };
  const asked: number[] = [];
  const clock = { passedMs: 0, now: () => NOW + clock.passedMs };
  const readOn = (cursor: number) => {
    asked.push(cursor);
    return Promise.resolve(next);
  };
  const client = new EventEmitter();
  const explain = (fault: unknown) => ({
    error: fault instanceof HttpRefusal ? fault.code : ('server_error' as const),
    message: 'why',
  });
  const streams = new EventStreams({ subscribe }, clock, explain, 1);
  const begin = (listener: string) => streams.begin(listener, first, readOn, client).setEncoding('utf8');
  return { client, stream: begin('alice'), begin, listening, asked, clock };
}

afterEach(() => {
  jest.useRealTimers();
});

describe('an event stream', () => {
  test('says first where it begins, so that it can go on there though nothing has happened', async () => {
    const { client, stream } = begun();
    const [first] = (await once(stream, 'data')) as [string];
    expect(first).toContain('\nid: 48\n');
    stream.destroy();
    client.emit('close');
  });

  test('lets go as soon as its client has gone, without another read', async () => {
    const { client, stream, listening, asked } = begun();
    await once(stream, 'data');
    // Its next message is wanted, and there is none.
    await new Promise(setImmediate);
    expect(listening.size).toBe(1);
    client.emit('close');
    stream.destroy();
    await once(stream, 'close');
    expect([listening.size, asked]).toEqual([0, []]);
  });

  test('is refused to who has as many open as anybody may, until one of them is closed', async () => {
    const { client, stream, begin } = begun();
    const ofAnother = begin('bob');
    expect(() => begin('alice')).toThrow(expect.objectContaining({ code: 'pilot_rate_limited' }));
    stream.destroy();
    await once(stream, 'close');
    const next = begin('alice');
    client.emit('close');
    for (const open of [ofAnother, next]) open.destroy();
  });

  test('ends when another incarnation is published, whose headers it did not begin with', async () => {
    const { client, stream, listening } = begun({ next: nothingAt(48, 'i2') });
    const messages: string[] = [];
    stream.on('data', (message: string) => messages.push(message));
    await once(stream, 'data');
    for (const onNews of listening) onNews();
    await once(stream, 'end');
    expect(messages.at(-1)).toContain('event: end\ndata: {"error":"recovery_publication_changed"');
    client.emit('close');
  });

  // The next look that has no such reason comes after five seconds.
  test('looks again at the end of its token, though nothing has happened', async () => {
    const caller = { ...alice, expiresAt: NOW + 20 };
    const { client, stream, asked } = begun({ first: { ...nothingAt(48), caller } });
    stream.resume();
    expect(await until(() => asked[0], 3_000)).toBe(48);
    client.emit('close');
    stream.destroy();
  });

  test('beats every five seconds while nothing happens, and moves its place on', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { client, stream, asked, clock } = begun({ next: nothingAt(77) });
    const messages: string[] = [];
    stream.on('data', (message: string) => messages.push(message));
    await once(stream, 'data');
    clock.passedMs = 4_999;
    await jest.advanceTimersByTimeAsync(4_999);
    expect(asked).toEqual([]);
    clock.passedMs = 5_000;
    await jest.advanceTimersByTimeAsync(1);
    expect([asked, messages.slice(1)]).toEqual([[48], [':\nid: 77\n\n']]);
    client.emit('close');
    stream.destroy();
  });

  test('cuts off a client that takes nothing for 20 seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { stream, listening } = begun();
    // It is there to be taken.
    await once(stream, 'readable');
    jest.advanceTimersByTime(19_999);
    expect(stream.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    await once(stream, 'close');
    expect(listening.size).toBe(0);
  });
});
