import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { startEventStore } from '@plaza/event-store';
import type { Logger } from 'pino';
import { LogReplaced, LogUnavailable } from '../../src/log/event-log.js';
import type { Checkpoint } from '../../src/log/event-log.js';
import { openLog } from '../../src/log/open-log.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { LogBench, metadata, newId, post } from './support/log-bench.js';
import { startRefusingServer } from './support/refusing-server.js';

/** After this many tries an unbounded backoff from half a second would exceed three seconds. */
const TRIES = 9;

let bench: LogBench;

beforeAll(async () => {
  bench = await LogBench.open();
});

afterAll(() => bench?.close());

describe('a checkpoint', () => {
  it('is confirmed, whatever was appended since', async () => {
    const { id, position } = await bench.appendPost('alice', 'the last one applied');
    await bench.appendPost('alice', 'a later one');
    await expect(bench.log.verify({ position, eventId: id })).resolves.toBeUndefined();
  });

  it('is refused where the log has another event, the middle of an event, or nothing', async () => {
    const eventId = randomUUID();
    const { position: first } = await bench.appendPost('alice', 'x'.repeat(500));
    const { position: second } = await bench.appendPost('alice', 'the next one');
    const middle = (first + second) / 2n;
    await Promise.all(
      [first, first + 1n, middle, second - 1n, second, second * 100n].map((position) =>
        expect(bench.log.verify({ position, eventId })).rejects.toBeInstanceOf(LogReplaced),
      ),
    );
  });

  it('in the middle of an event ends a subscription instead of being retried forever', async () => {
    const { position } = await bench.appendPost('alice', 'x'.repeat(500));
    await bench.appendPost('alice', 'the next one');
    const after = { position: position + 7n, eventId: randomUUID() };
    await expect(bench.subscribeUntil(after, () => true)).rejects.toBeInstanceOf(LogReplaced);
  });
});

describe('a checkpoint read that the server rejects', () => {
  let checkpoint: Checkpoint;

  beforeAll(async () => {
    const { position, id } = await bench.appendPost('alice', 'asked for');
    checkpoint = { position, eventId: id };
  });

  /** The result of a checkpoint read through a server that rejects such reads, and the rejected calls. */
  async function verifyThrough(refusal: Parameters<typeof startRefusingServer>[1]) {
    const server = await startRefusingServer(bench.store.port, refusal);
    const opened = await bench.openAnother(server.url);
    try {
      const [outcome] = await Promise.allSettled([opened.log.verify(checkpoint)]);
      return { fault: outcome.status === 'rejected' ? outcome.reason : undefined, refused: server.refused() };
    } finally {
      await opened.close();
      server.close();
    }
  }

  it.each([
    // The answers of EventStoreDB 23.10 to KurrentDB 25.0 for a position in the middle of a record.
    { code: status.UNKNOWN, details: 'Unexpected ReadAllResult: Error' },
    { code: status.INVALID_ARGUMENT, details: 'Trying to read from an invalid position.' },
  ])('counts as a missing event if three connections get the same answer: $details', async (refusal) => {
    const { fault, refused } = await verifyThrough(() => refusal);
    expect(fault).toBeInstanceOf(LogReplaced);
    expect([refused.length, new Set(refused).size]).toEqual([3, 3]);
  });

  it('is retried, and the next answer counts', async () => {
    let asked = 0;
    const hiccup = { code: status.UNKNOWN, details: 'a moment of weakness' };
    const { fault, refused } = await verifyThrough(() => (asked++ === 0 ? hiccup : undefined));
    expect([fault, refused.length]).toEqual([undefined, 1]);
  });

  it('is an outage while the server is unavailable or knows no leader', async () => {
    for (const away of [
      { code: status.UNAVAILABLE, details: 'shutting down' },
      // A follower that knows no leader.
      { code: status.UNKNOWN, details: 'No leader info available in response' },
    ])
      expect((await verifyThrough(() => away)).fault).toBeInstanceOf(LogUnavailable);
    const proxy = await startTcpProxy(bench.store.port);
    const opened = await bench.openAnother(`esdb://127.0.0.1:${proxy.port}?tls=false`);
    try {
      proxy.loseAnswers();
      await expect(opened.log.verify(checkpoint)).rejects.toBeInstanceOf(LogUnavailable);
    } finally {
      proxy.reset();
      await opened.close();
      await proxy.close();
    }
  });
});

it('a subscription that cannot read its checkpoint logs a warning and retries', async () => {
  const { position, id } = await bench.appendPost('alice', 'the last one applied');
  const next = await bench.appendPost('alice', 'waits');
  let away = true;
  const refusal = { code: status.UNAVAILABLE, details: 'not now' };
  const server = await startRefusingServer(bench.store.port, () => (away ? refusal : undefined));
  const warned: string[] = [];
  const opened = await openLog({
    eventStoreUrl: server.url,
    vaultDatabaseUrl: bench.vaultUrl,
    applicationName: 'test',
    logger: {
      warn: (_: unknown, message: string) => {
        warned.push(message);
        away = false;
      },
      error: () => undefined,
    } as unknown as Pick<Logger, 'warn' | 'error'>,
  });
  const stop = new AbortController();
  try {
    const subscription = opened.log.subscribe({
      after: { position, eventId: id },
      types: ['post.created'],
      batchSize: 10,
      signal: stop.signal,
    });
    for await (const { events } of subscription) {
      expect(events.map((event) => event.id)).toEqual([next.id]);
      break;
    }
    expect(warned).toEqual(['event log subscription keeps failing; retrying']);
  } finally {
    stop.abort();
    await opened.close();
    server.close();
  }
});

it('a subscription retries soon, however often it has failed', async () => {
  const { position, id } = await bench.appendPost('alice', 'the last one applied');
  const tries: number[] = [];
  const stop = new AbortController();
  const server = await startRefusingServer(bench.store.port, () => {
    if (tries.push(performance.now()) === TRIES) stop.abort();
    return { code: status.UNAVAILABLE, details: 'not now' };
  });
  const opened = await bench.openAnother(server.url);
  try {
    const after = { position, eventId: id };
    const options = { after, types: ['post.created'], batchSize: 10, signal: stop.signal } as const;
    for await (const { events } of opened.log.subscribe(options)) expect(events).toEqual([]);
  } finally {
    await opened.close();
    server.close();
  }
  const pauses = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
  // The shortest of three, since a busy machine delays some.
  expect(Math.min(...pauses.slice(-3))).toBeLessThan(2_000);
});

describe('an event store with a wrong clock', () => {
  it.each([10, -10])('by %i minutes accepts appends', async (minutes) => {
    const dir = mkdtempSync(join(tmpdir(), 'plaza-clock-'));
    const store = await startEventStore({
      dir,
      host: '127.0.0.1',
      port: 0,
      fsync: false,
      log: () => undefined,
      now: () => new Date(Date.now() + minutes * 60_000),
    });
    const opened = await bench.openAnother(`esdb://127.0.0.1:${store.port}?tls=false`);
    try {
      const append = {
        stream: `post-${newId()}`,
        expected: 'no_stream' as const,
        events: [{ id: randomUUID(), event: post('p', 'alice', 'what time is it?') }],
        metadata,
      };
      await expect(opened.log.append(append)).resolves.toMatchObject({ revision: 0n });
    } finally {
      await opened.close();
      await store.close();
      rmSync(dir, { recursive: true });
    }
  });
});
