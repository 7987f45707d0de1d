import { BACKWARDS, END } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { until } from '../testing/until.js';
import {
  collect,
  events,
  newStream,
  numbers,
  numbersOf,
  rejection,
  useEventStore,
} from './support/contract.js';

describe('the metadata of a stream', () => {
  const target = useEventStore();

  it('is returned as it was set, with known and unknown fields', async () => {
    const stream = newStream();
    const metadata = {
      maxCount: 10,
      maxAge: 3600,
      truncateBefore: 1,
      acl: { readRoles: ['$all'], writeRoles: ['ouro', 'admin'] },
      colour: 'red',
    };
    await target.client.setStreamMetadata(stream, metadata);
    expect(await target.client.getStreamMetadata(stream)).toMatchObject({
      streamName: stream,
      metadata,
    });
  });

  it('is empty when it was never set', async () => {
    const { metadata, metastreamRevision } = await target.client.getStreamMetadata(newStream());
    expect(metadata).toBeUndefined();
    expect(metastreamRevision).toBeUndefined();
  });

  it('is the newest one set', async () => {
    const stream = newStream();
    await target.client.setStreamMetadata(stream, { maxCount: 1 });
    await target.client.setStreamMetadata(stream, { maxCount: 2 }, { expectedRevision: 0n });
    expect(await target.client.getStreamMetadata(stream)).toMatchObject({ metadata: { maxCount: 2 } });
    const metastream = await collect(target.client.readStream(`$$${stream}`));
    expect(metastream.map(({ event }) => event!.revision)).toEqual([1n]);
  });

  it('makes a stream without events count as existing', async () => {
    const stream = newStream();
    await target.client.setStreamMetadata(stream, { maxCount: 5 });
    const options = { expectedRevision: 'stream_exists' } as const;
    const { nextExpectedRevision } = await target.client.appendToStream(stream, events(1), options);
    expect(nextExpectedRevision).toBe(0n);
  });

  it.each([
    ['$maxCount', { maxCount: 2 }, [3, 4]],
    ['$tb', { truncateBefore: 3 }, [3, 4]],
    ['$maxCount and $tb', { maxCount: 4, truncateBefore: 4 }, [4]],
    ['$maxCount, the stricter', { maxCount: 1, truncateBefore: 2 }, [4]],
    ['$tb behind the end', { truncateBefore: 100 }, []],
    ['a long $maxAge', { maxAge: 3600 }, [0, 1, 2, 3, 4]],
  ])('limits reads: %s', async (_, metadata, visible) => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(5));
    await target.client.setStreamMetadata(stream, metadata);
    expect(await numbersOf(target.client, stream)).toEqual(visible);
    const backwards = target.client.readStream(stream, { direction: BACKWARDS, fromRevision: END });
    expect(numbers(await collect(backwards))).toEqual([...visible].reverse());
  });

  it('limits reads by age: $maxAge', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(3));
    await target.client.setStreamMetadata(stream, { maxAge: 1 });
    const deadline = Date.now() + 10_000;
    while ((await numbersOf(target.client, stream)).length > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await numbersOf(target.client, stream)).toEqual([]);
    // Raised again, since a busy machine may need more than a second for the next event.
    await target.client.setStreamMetadata(stream, { maxAge: 3600 });
    await target.client.appendToStream(stream, events(1, { first: 3 }));
    expect((await numbersOf(target.client, stream)).at(-1)).toBe(3);
  });

  it('does not affect the revisions of new events', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(5));
    await target.client.setStreamMetadata(stream, { maxCount: 1 });
    const { nextExpectedRevision } = await target.client.appendToStream(stream, events(1), {
      expectedRevision: 4n,
    });
    expect(nextExpectedRevision).toBe(5n);
  });

  it('limits subscriptions', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(5));
    await target.client.setStreamMetadata(stream, { truncateBefore: 3 });
    const subscription = target.client.subscribeToStream(stream);
    const seen: number[] = [];
    subscription.on('data', ({ event }) => seen.push((event!.data as { n: number }).n));
    await until(() => seen.length >= 2);
    await subscription.unsubscribe();
    expect(seen).toEqual([3, 4]);
  });

  it('is changed by a deletion, and kept when the stream is used again', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(3));
    await target.client.deleteStream(stream);
    await target.client.setStreamMetadata(stream, { maxCount: 7 });
    // EventStoreDB adds what is left of the deletion after it has answered.
    await until(async () => (await target.client.getStreamMetadata(stream)).metadata?.truncateBefore === 3);
    const { metadata } = await target.client.getStreamMetadata(stream);
    expect(metadata).toMatchObject({ maxCount: 7 });
    await target.client.appendToStream(stream, events(1, { first: 3 }));
    expect(await numbersOf(target.client, stream)).toEqual([3]);
  });

  it('refuses a wrong expected revision', async () => {
    const stream = newStream();
    await target.client.setStreamMetadata(stream, { maxCount: 1 });
    const error = await rejection(
      target.client.setStreamMetadata(stream, { maxCount: 2 }, { expectedRevision: 'no_stream' }),
    );
    expect(error).toMatchObject({ type: 'wrong-expected-version' });
  });
});
