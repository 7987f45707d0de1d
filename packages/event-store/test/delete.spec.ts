import { ANY, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { collect, events, newStream, numbersOf, rejection, useEventStore } from './support/contract.js';

describe('deleting a stream', () => {
  const target = useEventStore();
  const notFound = { type: 'stream-not-found' };
  const deleted = { type: 'stream-deleted' };

  it.each([
    ['ANY', ANY],
    ['its revision', 1n],
  ] as const)('with %s hides its events', async (_, expectedRevision) => {
    const stream = newStream();
    const appended = await target.client.appendToStream(stream, events(2));
    const { position } = await target.client.deleteStream(stream, { expectedRevision });
    expect(position!.commit).toBeGreaterThan(appended.position!.commit);
    expect(await rejection(collect(target.client.readStream(stream)))).toMatchObject(notFound);
  });

  it.each([
    ['ANY', ANY],
    ['NO_STREAM', NO_STREAM],
    ['the last revision', 1n],
  ] as const)('allows new appends with %s, and continues the revisions', async (_, expectedRevision) => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(2));
    await target.client.deleteStream(stream);
    const again = await target.client.appendToStream(stream, events(2, { first: 2 }), { expectedRevision });
    expect(again.nextExpectedRevision).toBe(3n);
    const read = await collect(target.client.readStream(stream));
    expect(read.map(({ event }) => event!.revision)).toEqual([2n, 3n]);
    expect(await numbersOf(target.client, stream)).toEqual([2, 3]);
  });

  it('refuses an append that expects the stream to exist', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(1));
    await target.client.deleteStream(stream);
    const append = target.client.appendToStream(stream, events(1), { expectedRevision: STREAM_EXISTS });
    expect(await rejection(append)).toMatchObject(deleted);
  });

  it('refuses a wrong expected revision', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(2));
    const error = await rejection(target.client.deleteStream(stream, { expectedRevision: 0n }));
    expect(error).toMatchObject({ type: 'wrong-expected-version', expectedVersion: 0n, actualVersion: 1n });
    expect(await numbersOf(target.client, stream)).toEqual([0, 1]);
  });

  it('refuses to delete an unknown stream', async () => {
    const error = await rejection(target.client.deleteStream(newStream()));
    expect(error).toMatchObject({ type: 'wrong-expected-version' });
  });

  it('keeps the events of a deleted stream in $all', async () => {
    const stream = newStream();
    const { position } = await target.client.appendToStream(stream, events(1));
    await target.client.deleteStream(stream);
    const [first] = await collect(target.client.readAll({ fromPosition: position!, maxCount: 1 }));
    expect(first!.event).toMatchObject({ streamId: stream, revision: 0n });
  });

  describe('permanently', () => {
    it.each([
      ['ANY', ANY],
      ['its revision', 1n],
    ] as const)('with %s closes the stream name', async (_, expectedRevision) => {
      const stream = newStream();
      const appended = await target.client.appendToStream(stream, events(2));
      const { position } = await target.client.tombstoneStream(stream, { expectedRevision });
      expect(position!.commit).toBeGreaterThan(appended.position!.commit);
      const error = { ...deleted, streamName: stream };
      expect(await rejection(collect(target.client.readStream(stream)))).toMatchObject(error);
      expect(await rejection(target.client.appendToStream(stream, events(1)))).toMatchObject(error);
      expect(await rejection(target.client.deleteStream(stream))).toMatchObject(error);
      expect(await rejection(target.client.tombstoneStream(stream))).toMatchObject(error);
    });

    it('works on a name that was never used', async () => {
      const stream = newStream();
      await target.client.tombstoneStream(stream);
      expect(await rejection(target.client.appendToStream(stream, events(1)))).toMatchObject(deleted);
    });

    it('refuses a wrong expected revision', async () => {
      const stream = newStream();
      await target.client.appendToStream(stream, events(2));
      const error = await rejection(target.client.tombstoneStream(stream, { expectedRevision: 5n }));
      expect(error).toMatchObject({ type: 'wrong-expected-version', expectedVersion: 5n, actualVersion: 1n });
    });

    it('adds an event to $all', async () => {
      const stream = newStream();
      await target.client.appendToStream(stream, events(1));
      const { position } = await target.client.tombstoneStream(stream);
      const [trace] = await collect(target.client.readAll({ fromPosition: position!, maxCount: 1 }));
      expect(trace!.event).toMatchObject({
        streamId: stream,
        type: '$streamDeleted',
        revision: 9223372036854775807n,
      });
    });
  });
});
