import { ANY, jsonEvent, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { events, newStream, numbersOf, rejection, useEventStore } from './support/contract.js';

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
  ] as const)('is acknowledged even if others follow them, with %s', async (_, expected) => {
    const stream = newStream();
    const expectedRevision = expected === -1n ? NO_STREAM : expected;
    const batch = events(2);
    const first = await target.client.appendToStream(stream, batch, { expectedRevision });
    await target.client.appendToStream(stream, events(2, { first: 2 }));
    const again = await target.client.appendToStream(stream, batch, { expectedRevision });
    expect(again).toEqual(first);
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2, 3]);
  });

  it('acknowledges a prefix of an earlier append', async () => {
    const stream = newStream();
    const batch = events(4);
    await target.client.appendToStream(stream, batch, { expectedRevision: NO_STREAM });
    const part = await target.client.appendToStream(stream, batch.slice(0, 2), {
      expectedRevision: NO_STREAM,
    });
    expect(part.nextExpectedRevision).toBe(1n);
    expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2, 3]);
  });

  it('acknowledges a middle part of an earlier append, by its revision', async () => {
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
  ] as const)('refuses a known prefix with other events after it, with %s', async (_, expectedRevision) => {
    const stream = newStream();
    const batch = events(2);
    await target.client.appendToStream(stream, batch);
    const longer = [...batch, ...events(1, { first: 2 })];
    const error = await rejection(target.client.appendToStream(stream, longer, { expectedRevision }));
    expect(error).toMatchObject({ type: 'wrong-expected-version' });
    expect(await numbersOf(target.client, stream)).toEqual([0, 1]);
  });

  it('appends them twice when the current revision is expected', async () => {
    const stream = newStream();
    const [event] = events(1);
    await target.client.appendToStream(stream, event!, { expectedRevision: NO_STREAM });
    const again = await target.client.appendToStream(stream, event!, { expectedRevision: 0n });
    expect(again.nextExpectedRevision).toBe(1n);
  });

  it('refuses an event with another id at the same revision', async () => {
    const stream = newStream();
    await target.client.appendToStream(stream, events(2));
    const error = await rejection(
      target.client.appendToStream(stream, events(1), { expectedRevision: NO_STREAM }),
    );
    expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n });
  });

  it('compares ids alone, not data', async () => {
    const stream = newStream();
    const event = jsonEvent({ type: 'tested', data: { n: 1 } });
    await target.client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
    await target.client.appendToStream(stream, { ...event, data: { n: 2 } }, { expectedRevision: NO_STREAM });
    expect(await numbersOf(target.client, stream)).toEqual([1]);
  });

  it('treats the same id in another stream as another event', async () => {
    const [one, other] = [newStream(), newStream()];
    const batch = events(2);
    await target.client.appendToStream(one, batch);
    await target.client.appendToStream(other, batch);
    expect(await numbersOf(target.client, other)).toEqual([0, 1]);
  });

  it('appends them once, however many appends are concurrent', async () => {
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
