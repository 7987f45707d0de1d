import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Read } from '../admission/protected-reads.js';
import { EventStreams } from './event-streams.js';

const clock = { now: () => 1_763_700_000_000 };
const nothingAt = (cursor: number): Read<FeedPage> => ({
  result: { events: [], cursor, replace: false },
  caller: undefined,
  incarnation: 'i1',
  headers: { 'x-network-revision': String(cursor) },
});

/** A stream that begins at 48 where nothing happens, and what it asked and listens to. */
function begun() {
  const listening = new Set<() => void>();
  const subscribe = (onNews: () => void) => {
    listening.add(onNews);
    return () => void listening.delete(onNews);
  };
  const asked: number[] = [];
  const readOn = (cursor: number) => {
    asked.push(cursor);
    return Promise.resolve(nothingAt(cursor));
  };
  const client = new EventEmitter();
  const streams = new EventStreams({ subscribe }, clock, () => ({
    error: 'server_error',
    message: 'not foreseen',
  }));
  const stream = streams.begin(nothingAt(48), readOn, client).setEncoding('utf8');
  return { client, stream, listening, asked };
}

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
});
