import { randomUUID } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { LogUnavailable, WrongExpectedRevision } from '../../src/log/event-log.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { LogBench, metadata, newId, post } from './support/log-bench.js';

let bench: LogBench;

beforeAll(async () => {
  bench = await LogBench.open();
});

afterAll(() => bench?.close());

describe('with lost answers', () => {
  it('an append that was stored is acknowledged once, however often it was tried', async () => {
    const proxy = await startTcpProxy(bench.store.port);
    const through = await bench.openAnother(`esdb://127.0.0.1:${proxy.port}?tls=false`);
    try {
      const append = (postId: string) => ({
        stream: `post-${postId}`,
        expected: 'no_stream' as const,
        events: [{ id: randomUUID(), event: post(postId, 'alice', 'lost and found') }],
        metadata,
      });
      await through.log.append(append(newId()));
      proxy.loseAnswers();
      const lost = append(newId());
      const appending = through.log.append(lost);
      // The append is stored, but its caller has no answer.
      const [landed] = await until(async () => {
        const found = await bench.log.read(lost.stream);
        return found.length > 0 && found;
      });
      proxy.reset();
      expect(await appending).toEqual({ revision: 0n, position: landed?.position });
      expect(await bench.log.read(lost.stream)).toHaveLength(1);
    } finally {
      await through.close();
      await proxy.close();
    }
  });
});

it('a cluster without an answering node is an outage, and ends no process', async () => {
  const proxy = await startTcpProxy(bench.store.port);
  proxy.loseAnswers();
  const through = await bench.openAnother(
    `esdb+discover://127.0.0.1:${proxy.port}?tls=false&gossipTimeout=3&maxDiscoverAttempts=10`,
  );
  try {
    await expect(through.log.head()).rejects.toBeInstanceOf(LogUnavailable);
    await proxy.close();
    // Fails when the client ends its discovery, which the first read started.
    await expect(through.log.read('network')).rejects.toBeInstanceOf(LogUnavailable);
    // Jest fails a test with an unhandled rejection; Node ends the process.
    await immediate();
  } finally {
    await through.close();
  }
});

it('a node that is named twice and away ends no process', async () => {
  const away = `127.0.0.1:${await freePort()}`;
  const through = await bench.openAnother(`esdb://${away},127.0.0.1:${bench.store.port},${away}?tls=false`);
  try {
    expect(await through.log.read('post-none')).toEqual([]);
    await immediate();
  } finally {
    await through.close();
  }
});

it('a process that is too busy to read answers keeps its connection', async () => {
  // Begins the heartbeats.
  await bench.log.head();
  const leadership = await bench.log.leadership();
  for (let turn = 0; turn < 6; turn += 1) {
    const end = performance.now() + 1_600;
    while (performance.now() < end);
    await immediate();
  }
  // The heartbeats have missed their deadlines by now.
  await bench.log.head();
  expect(leadership.holds).toBe(true);
});

it('a leader that does not answer is given up by a process that is busy, even if it was too busy at first', async () => {
  const proxy = await startTcpProxy(bench.store.port);
  // The client itself would give the connection up after twenty seconds.
  const through = await bench.openAnother(`esdb://127.0.0.1:${proxy.port}?tls=false&keepAliveInterval=-1`);
  const block = async (milliseconds: number) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    await immediate();
  };
  try {
    await through.log.head();
    const leadership = await through.log.leadership();
    proxy.holdAnswers();
    for (let turn = 0; turn < 3; turn += 1) await block(1_600);
    expect(leadership.holds).toBe(true);
    // Late for a third of the time, and busy for all of it.
    const end = performance.now() + 30_000;
    while (leadership.holds && performance.now() < end) {
      await block(400);
      for (let turn = 0; turn < 40; turn += 1) await block(20);
    }
    expect(leadership.holds).toBe(false);
  } finally {
    await through.close();
    await proxy.close();
  }
});

describe('while the event store is frozen', () => {
  it('an append times out, and the same append works later', async () => {
    const postId = newId();
    process.kill(bench.store.pid, 'SIGSTOP');
    try {
      const begun = performance.now();
      await expect(bench.appendPost('alice', 'too slow', postId)).rejects.toBeInstanceOf(LogUnavailable);
      expect(performance.now() - begun).toBeLessThan(30_000);
      await expect(bench.log.head()).rejects.toBeInstanceOf(LogUnavailable);
    } finally {
      process.kill(bench.store.pid, 'SIGCONT');
    }
    // The append that timed out may have been stored.
    await until(() =>
      bench.log.head().then(
        () => true,
        () => false,
      ),
    );
    await bench.appendPost('alice', 'again', postId).catch((error: unknown) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    });
    expect(await bench.log.read(`post-${postId}`)).toHaveLength(1);
  });
});

describe('while the event store is unavailable', () => {
  it('calls fail as an outage, and work again when it is back', async () => {
    const before = await bench.appendPost('alice', 'before the outage');
    await bench.store.kill('SIGKILL');
    await expect(bench.appendPost('alice', 'during the outage')).rejects.toBeInstanceOf(LogUnavailable);
    await expect(bench.log.read(before.stream)).rejects.toBeInstanceOf(LogUnavailable);
    await bench.restartStore();
    await expect(bench.appendPost('alice', 'after the outage')).resolves.toMatchObject({ revision: 0n });
    expect(await bench.log.read(before.stream)).toHaveLength(1);
  });

  it('a subscription waits, and resumes after the last event it delivered', async () => {
    const first = await bench.appendPost('alice', 'before the restart');
    const stop = new AbortController();
    const subscription = bench.log.subscribe({
      after: { position: first.position, eventId: first.id },
      types: ['post.created'],
      batchSize: 10,
      signal: stop.signal,
    });
    const seen: string[] = [];
    const following = (async () => {
      for await (const { events } of subscription) {
        seen.push(...events.map(({ id }) => id));
        if (seen.length === 2) break;
      }
    })();
    const second = await bench.appendPost('alice', 'still before');
    await until(() => seen.length === 1);
    await bench.store.kill('SIGKILL');
    await bench.restartStore();
    const third = await until(() => bench.appendPost('alice', 'after').catch(() => undefined));
    await following;
    expect(seen).toEqual([second.id, third.id]);
  });
});
