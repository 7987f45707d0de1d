import {
  END,
  eventTypeFilter,
  START,
  streamNameFilter,
  type AllStreamSubscription,
  type Position,
  type StreamSubscription,
} from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { until } from '../testing/until.js';
import { events, describeAs2310, newStream, useEventStore } from './support/contract.js';

type Subscription = AllStreamSubscription | StreamSubscription;
interface Received {
  subscription: Subscription;
  numbers: number[];
  positions: bigint[];
  caughtUp: number;
  errors: (Error & { type?: string })[];
}

const opened: Subscription[] = [];

/** Collects the events of a subscription, which ends with its test. */
function watch(subscription: Subscription): Received {
  opened.push(subscription);
  const seen: Received = { subscription, numbers: [], positions: [], caughtUp: 0, errors: [] };
  (subscription as StreamSubscription).on('data', ({ event }) => {
    seen.numbers.push((event!.data as { n?: number }).n ?? -1);
    seen.positions.push(event!.position?.commit ?? -1n);
  });
  subscription.on('caughtUp', () => seen.caughtUp++);
  subscription.on('error', (error: Error) => seen.errors.push(error));
  return seen;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (subscription) => subscription.unsubscribe()));
});

describe('subscribing to a stream', () => {
  const target = useEventStore();

  it('delivers existing events, reports that it caught up, and delivers new ones', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(100));
    const seen = watch(target.client.subscribeToStream(stream, { fromRevision: START }));
    await until(() => seen.caughtUp > 0);
    expect(seen.numbers).toHaveLength(100);
    await target.client.appendToStream(stream, events(2, { first: 100 }));
    await until(() => seen.numbers.length === 102);
    expect(seen.numbers).toEqual(Array.from({ length: 102 }, (_, i) => i));
  });

  it('resumes after a revision', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(5));
    const seen = watch(target.client.subscribeToStream(stream, { fromRevision: 2n }));
    await until(() => seen.numbers.length === 2);
    expect(seen.numbers).toEqual([3, 4]);
  });

  describeAs2310('as 23.10 does', () => {
    it('that does not exist reports that it caught up once it does', async () => {
      const stream = newStream();
      const seen = watch(target.client.subscribeToStream(stream, { fromRevision: START }));
      const other = watch(target.client.subscribeToStream(stream, { fromRevision: END }));
      await until(() => other.caughtUp > 0);
      // By now the first subscription would have got the same answer.
      const later = watch(target.client.subscribeToStream(stream, { fromRevision: END }));
      await until(() => later.caughtUp > 0);
      expect(seen.caughtUp).toBe(0);
      await target.client.appendToStream(stream, events(2));
      await until(() => seen.caughtUp > 0);
      expect(seen.numbers).toEqual([0, 1]);
    });
  });

  it('from the end delivers only new events', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(3));
    const seen = watch(target.client.subscribeToStream(stream, { fromRevision: END }));
    await until(() => seen.caughtUp > 0);
    await target.client.appendToStream(stream, events(1, { first: 3 }));
    await until(() => seen.numbers.length > 0);
    expect(seen.numbers).toEqual([3]);
  });

  it('waits for a stream that does not exist yet', async () => {
    const stream = newStream();
    const subscription = target.client.subscribeToStream(stream);
    const seen = watch(subscription);
    await new Promise((resolve) => subscription.once('confirmation', resolve));
    await target.client.appendToStream(stream, events(2));
    await until(() => seen.numbers.length === 2);
    expect(seen.numbers).toEqual([0, 1]);
  });

  it('ends with an error when the stream is tombstoned', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(1));
    const seen = watch(target.client.subscribeToStream(stream));
    await until(() => seen.caughtUp > 0);
    await target.client.tombstoneStream(stream);
    await until(() => seen.errors.length > 0);
    expect(seen.errors[0]).toMatchObject({ type: 'stream-deleted', streamName: stream });
  });

  it('delivers every event once, in order, during appends', async () => {
    const stream = newStream();
    const total = 400;
    const seen = watch(target.client.subscribeToStream(stream));
    for (let first = 0; first < total; first += 20) {
      await target.client.appendToStream(stream, events(20, { first }));
    }
    await until(() => seen.numbers.length >= total);
    expect(seen.numbers).toEqual(Array.from({ length: total }, (_, i) => i));
  });
});

describe('subscribing to $all', () => {
  const target = useEventStore();

  it('resumes after a position, in the order of the log', async () => {
    const stream = newStream();
    const { position } = await target.client.appendToStream(stream, events(1));
    await target.client.appendToStream(stream, events(3, { first: 1 }));
    const seen = watch(target.client.subscribeToAll({ fromPosition: position! }));
    await until(() => seen.caughtUp > 0);
    expect(seen.positions).not.toContain(position!.commit);
    expect(seen.numbers.slice(0, 3)).toEqual([1, 2, 3]);
    await target.client.appendToStream(stream, events(1, { first: 99 }));
    await until(() => seen.numbers.includes(99));
    expect(seen.positions).toEqual([...seen.positions].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('from the end delivers only new events', async () => {
    await target.client.appendToStream(newStream(), events(1, { first: 5 }));
    const seen = watch(target.client.subscribeToAll({ fromPosition: END }));
    await until(() => seen.caughtUp > 0);
    await target.client.appendToStream(newStream(), events(1, { first: 6 }));
    await until(() => seen.numbers.includes(6));
    expect(seen.numbers).not.toContain(5);
  });

  it('refuses a position where no event begins', async () => {
    const { position } = await target.client.appendToStream(newStream(), events(3));
    await target.client.appendToStream(newStream(), events(1));
    const inside = { commit: position!.commit + 3n, prepare: position!.prepare + 3n };
    const seen = watch(target.client.subscribeToAll({ fromPosition: inside }));
    await until(() => seen.errors.length > 0);
    expect(seen.numbers).toEqual([]);
  });

  describe('with a filter', () => {
    it.each([
      ['stream name prefixes', (m: string) => streamNameFilter({ prefixes: [`a${m}`, `b${m}`] }), [0, 1]],
      ['a stream name expression', (m: string) => streamNameFilter({ regex: `^[bc]${m}` }), [1, 2]],
      ['event type prefixes', (m: string) => eventTypeFilter({ prefixes: [`x${m}`] }), [0, 2]],
      ['an event type expression', (m: string) => eventTypeFilter({ regex: `^y${m}$` }), [1]],
    ])('by %s delivers matching events, old and new', async (_, filter, expected) => {
      const own = randomUUID().replaceAll('-', '');
      const append = async (stream: string, type: string, n: number): Promise<Position> => {
        const appended = await target.client.appendToStream(
          `${stream}${own}-${n}`,
          events(1, { first: n, type: `${type}${own}` }),
        );
        return appended.position!;
      };
      const start = await append('z', 'z', -1);
      await append('a', 'x', 0);
      await append('b', 'y', 1);
      await append('c', 'x', 2);
      const seen = watch(target.client.subscribeToAll({ fromPosition: start, filter: filter(own) }));
      await until(() => seen.caughtUp > 0);
      expect(seen.numbers).toEqual(expected);
      await append('a', 'x', 0);
      await append('b', 'y', 1);
      await append('c', 'x', 2);
      await until(() => seen.numbers.length === 2 * expected.length);
      expect(seen.numbers).toEqual([...expected, ...expected]);
    });

    it('reports checkpoints without a match, from which a subscription can resume', async () => {
      const stream = newStream();
      const { position: start } = await target.client.appendToStream(stream, events(1));
      await target.client.appendToStream(stream, events(200));
      const checkpoints: Position[] = [];
      const filter = streamNameFilter({
        prefixes: [newStream('no-such')],
        maxSearchWindow: 10,
        checkpointInterval: 2,
        checkpointReached: async (_, position) => {
          checkpoints.push(position);
          return Promise.resolve();
        },
      });
      const seen = watch(target.client.subscribeToAll({ fromPosition: start!, filter }));
      await until(() => checkpoints.length >= 5);
      const commits = checkpoints.map(({ commit }) => commit);
      expect(commits).toEqual([...commits].sort((a, b) => (a < b ? -1 : 1)));
      expect(seen.numbers).toEqual([]);
      const last = checkpoints.at(-1)!;
      const next = watch(target.client.subscribeToAll({ fromPosition: last }));
      await target.client.appendToStream(stream, events(1, { first: 777 }));
      await until(() => next.numbers.includes(777));
    });

    it('reports checkpoints after catching up, too', async () => {
      const checkpoints: Position[] = [];
      const filter = streamNameFilter({
        prefixes: [newStream('no-such')],
        maxSearchWindow: 5,
        checkpointInterval: 1,
        checkpointReached: async (_, position) => {
          checkpoints.push(position);
          return Promise.resolve();
        },
      });
      const seen = watch(target.client.subscribeToAll({ fromPosition: END, filter }));
      await until(() => seen.caughtUp > 0);
      const { position } = await target.client.appendToStream(newStream(), events(30));
      await until(() => checkpoints.length > 0);
      expect(checkpoints[0]!.commit).toBeLessThanOrEqual(position!.commit);
    });
  });

  it('delivers every event to a slow client', async () => {
    const stream = newStream('slow');
    const total = 3000;
    const { position } = await target.client.appendToStream(stream, events(1));
    for (let first = 1; first < total; first += 499) {
      await target.client.appendToStream(stream, events(Math.min(499, total - first), { first }));
    }
    const subscription = target.client.subscribeToAll({
      fromPosition: position!,
      filter: streamNameFilter({ prefixes: [stream] }),
    });
    const taken: number[] = [];
    for await (const { event } of subscription) {
      taken.push((event!.data as { n: number }).n);
      if (taken.length % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      if (taken.length === total - 1) break;
    }
    await subscription.unsubscribe();
    expect(taken).toEqual(Array.from({ length: total - 1 }, (_, i) => i + 1));
  });

  it('ends for the client that unsubscribes, and for no other', async () => {
    const subscription = target.client.subscribeToAll({ fromPosition: END });
    const [gone, staying] = [watch(subscription), watch(target.client.subscribeToAll({ fromPosition: END }))];
    await until(() => gone.caughtUp > 0 && staying.caughtUp > 0);
    await subscription.unsubscribe();
    await target.client.appendToStream(newStream(), events(1, { first: 4242 }));
    await until(() => staying.numbers.includes(4242));
    expect(gone.numbers).not.toContain(4242);
    expect([...gone.errors, ...staying.errors]).toEqual([]);
  });
});
