import {
  ANY,
  binaryEvent,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  collect,
  events,
  describeAs2310,
  newStream,
  numbersOf,
  rejection,
  useEventStore,
} from './support/contract.js';

const MEBIBYTE = 1024 * 1024;

describe('appending', () => {
  const target = useEventStore();

  it('returns the revision and position of the last event', async () => {
    const stream = newStream();
    const first = await target.client.appendToStream(stream, events(1));
    const second = await target.client.appendToStream(stream, events(3));
    expect(first).toMatchObject({ success: true, nextExpectedRevision: 0n });
    expect(second).toMatchObject({ success: true, nextExpectedRevision: 3n });
    expect(second.position!.commit).toBeGreaterThan(first.position!.commit);
    const read = await collect(target.client.readStream(stream));
    expect(read.at(-1)!.event!.position).toEqual(second.position);
  });

  it('stores id, type, data, metadata and time', async () => {
    const stream = newStream();
    const id = randomUUID();
    const before = Date.now();
    await target.client.appendToStream(
      stream,
      jsonEvent({ id, type: 'äöü.☃', data: { text: 'ß \u0000 😀', n: 1.5 }, metadata: { by: 'me' } }),
    );
    const [resolved] = await collect(target.client.readStream(stream));
    expect(resolved!.event).toMatchObject({
      id,
      streamId: stream,
      revision: 0n,
      type: 'äöü.☃',
      data: { text: 'ß \u0000 😀', n: 1.5 },
      metadata: { by: 'me' },
      isJson: true,
    });
    expect(Math.abs(resolved!.event!.created.getTime() - before)).toBeLessThan(60_000);
  });

  it('stores binary data and metadata unchanged', async () => {
    const stream = newStream();
    const data = Uint8Array.from({ length: 256 }, (_, i) => i);
    const metadata = Uint8Array.of(0, 255, 1);
    await target.client.appendToStream(stream, binaryEvent({ type: 'raw', data, metadata }));
    const [resolved] = await collect(target.client.readStream(stream));
    expect(resolved!.event!.isJson).toBe(false);
    expect(Buffer.from(resolved!.event!.data as Uint8Array)).toEqual(Buffer.from(data));
    expect(Buffer.from(resolved!.event!.metadata as Uint8Array)).toEqual(Buffer.from(metadata));
  });

  it('accepts stream names beyond ASCII', async () => {
    const stream = newStream('größe ☃');
    await target.client.appendToStream(stream, events(2));
    expect(await numbersOf(target.client, stream)).toEqual([0, 1]);
  });

  it('keeps the order of concurrent appends of one client', async () => {
    const stream = newStream();
    await Promise.all(events(50).map(async (event) => target.client.appendToStream(stream, event)));
    expect(await numbersOf(target.client, stream)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  describe('with an expected revision', () => {
    it.each([
      ['NO_STREAM', NO_STREAM, 0],
      ['ANY', ANY, 0],
      ['ANY', ANY, 2],
      ['STREAM_EXISTS', STREAM_EXISTS, 2],
      ['the last revision', 1n, 2],
    ] as const)('accepts %s (%s) on a stream of %i events', async (_, expectedRevision, existing) => {
      const stream = newStream();
      if (existing > 0) await target.client.appendToStream(stream, events(existing));
      const appended = await target.client.appendToStream(stream, events(1), { expectedRevision });
      expect(appended.nextExpectedRevision).toBe(BigInt(existing));
    });

    it.each([
      ['NO_STREAM', NO_STREAM, 2, 1n],
      ['STREAM_EXISTS', STREAM_EXISTS, 0, 'no_stream'],
      ['an earlier revision', 0n, 2, 1n],
      ['a later revision', 5n, 2, 1n],
      ['a revision', 0n, 0, 'no_stream'],
    ] as const)('refuses %s (%s) on a stream of %i events', async (_, expectedRevision, existing, actual) => {
      const stream = newStream();
      if (existing > 0) await target.client.appendToStream(stream, events(existing));
      const error = await rejection(target.client.appendToStream(stream, events(1), { expectedRevision }));
      expect(error).toMatchObject({
        type: 'wrong-expected-version',
        streamName: stream,
        expectedVersion: expectedRevision,
        actualVersion: actual,
      });
    });

    it('accepts exactly one of several racing appends', async () => {
      const stream = newStream();
      const racing = Array.from({ length: 8 }, async () =>
        target.client.appendToStream(stream, events(1), { expectedRevision: NO_STREAM }),
      );
      const outcomes = await Promise.allSettled(racing);
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
      expect(await numbersOf(target.client, stream)).toHaveLength(1);
    });

    it('returns a conflict as a result when the client asks for that', async () => {
      const stream = newStream();
      await target.client.appendToStream(stream, events(2));
      const separator = target.url.includes('?') ? '&' : '?';
      const quiet = EventStoreDBClient.connectionString(
        `${target.url}${separator}throwOnAppendFailure=false`,
      );
      try {
        const result = await quiet.appendToStream(stream, events(1), { expectedRevision: NO_STREAM });
        expect(result.success).toBe(false);
      } finally {
        await quiet.dispose();
      }
    });
  });

  describe('of no events', () => {
    it('is acknowledged each time, and leaves no stream', async () => {
      const stream = newStream();
      const options = { expectedRevision: NO_STREAM, requiresLeader: true } as const;
      for (let times = 0; times < 3; times++)
        expect(await target.client.appendToStream(stream, [], options)).toMatchObject({ success: true });
      expect(await rejection(collect(target.client.readStream(stream)))).toMatchObject({
        type: 'stream-not-found',
      });
      expect(await target.client.appendToStream(stream, events(1), options)).toMatchObject({
        nextExpectedRevision: 0n,
      });
    });
  });

  describe('of large batches', () => {
    it('is all or nothing for many events', async () => {
      const stream = newStream();
      const { nextExpectedRevision } = await target.client.appendToStream(stream, events(500));
      expect(nextExpectedRevision).toBe(499n);
      const refused = rejection(target.client.appendToStream(stream, events(500), { expectedRevision: 3n }));
      expect(await refused).toMatchObject({ type: 'wrong-expected-version' });
      expect(await numbersOf(target.client, stream)).toHaveLength(500);
    });

    it('accepts an append that spans several requests', async () => {
      const stream = newStream();
      await target.client.appendToStream(stream, events(100), { batchAppendSize: 500 });
      expect(await numbersOf(target.client, stream)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    });

    it('refuses more than a mebibyte in one event', async () => {
      const stream = newStream();
      const event = binaryEvent({ type: 'large', data: new Uint8Array(MEBIBYTE + 1) });
      const error = await rejection(target.client.appendToStream(stream, event));
      expect(error).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: MEBIBYTE });
      expect(await rejection(collect(target.client.readStream(stream)))).toMatchObject({
        type: 'stream-not-found',
      });
    });

    it('refuses more than a mebibyte in many events, in one request or several', async () => {
      const stream = newStream();
      const large = Array.from({ length: 12 }, () =>
        binaryEvent({ type: 'large', data: new Uint8Array(100_000) }),
      );
      const whole = await rejection(target.client.appendToStream(stream, large));
      const parted = await rejection(
        target.client.appendToStream(stream, large, { batchAppendSize: 150_000 }),
      );
      expect(whole).toMatchObject({ type: 'maximum-append-size-exceeded' });
      expect(parted).toMatchObject({ type: 'maximum-append-size-exceeded' });
      await target.client.appendToStream(stream, events(1));
      expect(await numbersOf(target.client, stream)).toEqual([0]);
    });

    it('accepts nearly a mebibyte', async () => {
      const stream = newStream();
      const data = new Uint8Array(MEBIBYTE - 1024).fill(7);
      await target.client.appendToStream(stream, binaryEvent({ type: 'large', data }));
      const [resolved] = await collect(target.client.readStream(stream));
      expect((resolved!.event!.data as Uint8Array).length).toBe(data.length);
    });
  });

  /** Credentials of the address. A store without TLS ignores them. */
  const caller = () => ({
    credentials: target.address.credentials ?? { username: 'admin', password: 'changeit' },
  });

  describeAs2310('as 23.10 does', () => {
    it.each<[string, () => object]>([
      ['nothing', () => ({})],
      ['credentials', caller],
    ])('counts the data of events alone, not their metadata, given %s', async (_, options) => {
      const metadata = { large: 'x'.repeat(8_000) };
      const many = Array.from({ length: 300 }, (_, n) => jsonEvent({ type: 'small', data: { n }, metadata }));
      const appended = await target.client.appendToStream(newStream(), many, options());
      expect(appended.nextExpectedRevision).toBe(299n);
    });
  });

  describe('through the non-batch call, which credentials select', () => {
    it('appends several events', async () => {
      const stream = newStream();
      const appended = await target.client.appendToStream(stream, events(3), caller());
      expect(appended).toMatchObject({ success: true, nextExpectedRevision: 2n });
      expect(await numbersOf(target.client, stream)).toEqual([0, 1, 2]);
    });

    it('refuses a wrong expected revision', async () => {
      const stream = newStream();
      await target.client.appendToStream(stream, events(2), caller());
      const append = target.client.appendToStream(stream, events(1), {
        ...caller(),
        expectedRevision: 0n,
      });
      expect(await rejection(append)).toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n });
    });

    it('refuses more than a mebibyte', async () => {
      const event = binaryEvent({ type: 'large', data: new Uint8Array(MEBIBYTE + 1) });
      const error = await rejection(target.client.appendToStream(newStream(), event, caller()));
      expect(error).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: MEBIBYTE });
    });
  });
});
