import { BACKWARDS, END, FORWARDS, START } from '@eventstore/db-client';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { collect, events, newStream, numbers, rejection, useEventStore } from './support/contract.js';

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('reading a stream', () => {
  const target = useEventStore();
  const stream = newStream();
  const COUNT = 300;

  beforeAll(async () => {
    await target.client.appendToStream(stream, events(COUNT));
  });

  it.each([
    ['forwards from the start', {}, range(0, COUNT)],
    ['forwards, so many', { maxCount: 5 }, range(0, 5)],
    ['forwards from a revision', { fromRevision: 290n }, range(290, COUNT)],
    ['forwards from a revision, so many', { fromRevision: 100n, maxCount: 3 }, range(100, 103)],
    ['forwards from the last revision', { fromRevision: 299n }, [299]],
    ['forwards from behind the last revision', { fromRevision: 300n }, []],
    ['backwards from the end', { direction: BACKWARDS, fromRevision: END }, range(0, COUNT).reverse()],
    ['backwards, so many', { direction: BACKWARDS, fromRevision: END, maxCount: 2 }, [299, 298]],
    ['backwards from a revision', { direction: BACKWARDS, fromRevision: 2n }, [2, 1, 0]],
    [
      'backwards from a revision, so many',
      { direction: BACKWARDS, fromRevision: 200n, maxCount: 2 },
      [200, 199],
    ],
    ['backwards from the start', { direction: BACKWARDS, fromRevision: START }, [0]],
  ] as const)('reads %s', async (_, options, expected) => {
    expect(numbers(await collect(target.client.readStream(stream, options)))).toEqual(expected);
  });

  it('numbers the revisions', async () => {
    const read = await collect(target.client.readStream(stream, { fromRevision: 126n, maxCount: 4 }));
    expect(read.map(({ event }) => event!.revision)).toEqual([126n, 127n, 128n, 129n]);
  });

  it('fails for an unknown stream', async () => {
    const error = await rejection(collect(target.client.readStream(newStream())));
    expect(error).toMatchObject({ type: 'stream-not-found' });
  });

  it('may be stopped early', async () => {
    for await (const { event } of target.client.readStream(stream)) if (event!.revision === 10n) break;
    expect(numbers(await collect(target.client.readStream(stream, { maxCount: 1 })))).toEqual([0]);
  });
});

describe('reading $all', () => {
  const target = useEventStore();

  it('reads forwards from a position, including the event there', async () => {
    const stream = newStream();
    const first = await target.client.appendToStream(stream, events(1));
    await target.client.appendToStream(stream, events(4, { first: 1 }));
    const read = await collect(target.client.readAll({ fromPosition: first.position!, direction: FORWARDS }));
    expect(read[0]!.event).toMatchObject({ streamId: stream, revision: 0n });
    const own = read.filter(({ event }) => event?.streamId === stream);
    expect(numbers(own)).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives every event a unique ascending position, with equal commit and prepare', async () => {
    const stream = newStream();
    const { position } = await target.client.appendToStream(stream, events(1));
    await target.client.appendToStream(stream, events(10));
    const read = await collect(target.client.readAll({ fromPosition: position!, maxCount: 11 }));
    const commits = read.map(({ event }) => event!.position.commit);
    expect(commits).toEqual([...new Set(commits)].sort((a, b) => (a < b ? -1 : 1)));
    for (const { event, commitPosition } of read) {
      expect(event!.position.prepare).toBe(event!.position.commit);
      expect(commitPosition).toBe(event!.position.commit);
    }
  });

  it('reads backwards from the end', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(3));
    const read = await collect(
      target.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1000 }),
    );
    const own = read.filter(({ event }) => event?.streamId === stream);
    expect(numbers(own)).toEqual([2, 1, 0]);
  });

  it('reads backwards from a position, without the event there', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(2));
    const { position } = await target.client.appendToStream(stream, events(1, { first: 2 }));
    const read = await collect(
      target.client.readAll({ direction: BACKWARDS, fromPosition: position!, maxCount: 1000 }),
    );
    expect(read[0]!.event!.position.commit).toBeLessThan(position!.commit);
    // A named server has events of others between them.
    const own = read.filter(({ event }) => event?.streamId === stream);
    expect(numbers(own)).toEqual([1, 0]);
  });

  it('reads a number of events from the start', async () => {
    await target.client.appendToStream(newStream(), events(2));
    const read = await collect(target.client.readAll({ fromPosition: START, maxCount: 2 }));
    expect(read).toHaveLength(2);
  });

  it('reads nothing forwards from the end', async () => {
    await target.client.appendToStream(newStream(), events(1));
    const read = await collect(target.client.readAll({ fromPosition: END, maxCount: 10 }));
    expect(read).toEqual([]);
  });

  it('refuses a position where no event begins', async () => {
    const { position } = await target.client.appendToStream(newStream(), events(3));
    const inside = { commit: position!.commit + 3n, prepare: position!.prepare + 3n };
    await target.client.appendToStream(newStream(), events(1));
    const reading = collect(target.client.readAll({ fromPosition: inside, maxCount: 1 }));
    const refused = { code: 2, message: expect.stringContaining('Unexpected ReadAllResult: ') };
    expect(await rejection(reading)).toMatchObject(refused);
  });
});
