import { ANY, jsonEvent, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { events, newStream, numbersOf, rejection, useEventStore } from './support.js';

describe('appending the same events again', () => {
  const target = useEventStore();

  it.each([
    ['ANY', ANY],
    ['NO_STREAM', NO_STREAM],
  ] as const)('to a new stream with %s is acknowledged and changes nothing', async (_, expectedRevision) => {
    const stream = newStream();
    const batch = events(3);
    const first = await target.client.appendToStream(stream, batch, { expectedRevision });
    const again = await target.client.appendToStream(stream, batch, { expectedRevision });
    expect(again).toEqual(first);
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2]);
  });

  it.each([
    ['ANY', ANY],
    ['STREAM_EXISTS', STREAM_EXISTS],
    ['the revision before them', 1n],
  ] as const)('to a stream with %s is acknowledged and changes nothing', async (_, expectedRevision) => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(2));
    const batch = events(3, { first: 2 });
    const first = await target.client.appendToStream(stream, batch, { expectedRevision });
    const again = await target.client.appendToStream(stream, batch, { expectedRevision });
    expect(again).toEqual(first);
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    ['ANY', ANY],
    ['the revision before them', -1n],
  ] as const)('is acknowledged with others behind them, with %s', async (_, expected) => {
    const stream = newStream();
    const expectedRevision = expected === -1n ? NO_STREAM : expected;
    const batch = events(2);
    const first = await target.client.appendToStream(stream, batch, { expectedRevision });
    await target.client.appendToStream(stream, events(2, { first: 2 }));
    const again = await target.client.appendToStream(stream, batch, { expectedRevision });
    expect(again).toEqual(first);
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2, 3]);
  });

  it('acknowledges a part of an append from its start', async () => {
    const stream = newStream();
    const batch = events(4);
    await target.client.appendToStream(stream, batch, { expectedRevision: NO_STREAM });
    const part = await target.client.appendToStream(stream, batch.slice(0, 2), {
      expectedRevision: NO_STREAM,
    });
    expect(part.nextExpectedRevision).toBe(1n);
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2, 3]);
  });

  it('acknowledges a part from the middle, by its revision', async () => {
    const stream = newStream();
    const batch = events(4);
    await target.client.appendToStream(stream, batch, { expectedRevision: NO_STREAM });
    const part = await target.client.appendToStream(stream, batch.slice(1, 3), { expectedRevision: 0n });
    expect(part.nextExpectedRevision).toBe(2n);
  });

  it.each([
    ['NO_STREAM', NO_STREAM],
    ['ANY', ANY],
    ['STREAM_EXISTS', STREAM_EXISTS],
  ] as const)('refuses a known beginning that goes on differently, with %s', async (_, expectedRevision) => {
    const stream = newStream();
    const batch = events(2);
    await target.client.appendToStream(stream, batch);
    const longer = [...batch, ...events(1, { first: 2 })];
    const error = await rejection(target.client.appendToStream(stream, longer, { expectedRevision }));
    expect(error).toMatchObject({ type: 'wrong-expected-version' });
    expect(await numbersOf(target.client, stream)).toEqual([0, 1]);
  });

  it('appends twice with the revision that the stream has: there is nothing to recognize it by', async () => {
    const stream = newStream();
    const [event] = events(1);
    await target.client.appendToStream(stream, event!, { expectedRevision: NO_STREAM });
    const again = await target.client.appendToStream(stream, event!, { expectedRevision: 0n });
    expect(again.nextExpectedRevision).toBe(1n);
  });

  it('refuses the same place with another id', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(2));
    const error = await rejection(
      target.client.appendToStream(stream, events(1), { expectedRevision: NO_STREAM }),
    );
    expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n });
  });

  it('goes by the id alone, not by the data', async () => {
    const stream = newStream();
    const event = jsonEvent({ type: 'tested', data: { n: 1 } });
    await target.client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
    await target.client.appendToStream(stream, { ...event, data: { n: 2 } }, { expectedRevision: NO_STREAM });
    expect(await numbersOf(target.client, stream)).toEqual([1]);
  });

  it('takes the same id in another stream as another event', async () => {
    const [one, other] = [newStream(), newStream()];
    const batch = events(2);
    await target.client.appendToStream(one, batch);
    await target.client.appendToStream(other, batch);
    expect(await numbersOf(target.client, other)).toEqual([0, 1]);
  });

  it('appends once, however many of them are on their way together', async () => {
    const stream = newStream();
    const batch = events(3);
    const together = Array.from({ length: 5 }, async () =>
      target.client.appendToStream(stream, batch, { expectedRevision: NO_STREAM }),
    );
    const outcomes = await Promise.allSettled(together);
    const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(new Set(done.map(({ nextExpectedRevision }) => nextExpectedRevision))).toEqual(new Set([2n]));
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2]);
  });
});
