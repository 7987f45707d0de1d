/** @waits */
import { randomUUID } from 'node:crypto';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LogUnavailable, WrongExpectedRevision } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { MAX_UNANSWERED } from '../../src/log/eventstoredb/unanswered-appends.js';
import { TestCluster } from '../support/cluster.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { until } from '../support/until.js';
import { follow } from './support/follow.js';
import { LogBench, metadata, newId, post } from './support/log-bench.js';

/** By default the client leaves a silent node after twenty seconds; these settings prevent that within a test. */
const NEVER_LEAVES = 'keepAliveInterval=600000&keepAliveTimeout=600000';

let bench: LogBench;
let cluster: TestCluster;
let first: ClusterNode;
let second: ClusterNode;
let opened: OpenLog[];

beforeAll(async () => {
  bench = await LogBench.open();
});
afterAll(() => bench?.close());

beforeEach(async () => {
  opened = [];
  cluster = await TestCluster.start();
  [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  await cluster?.stop();
});

async function openAt(url: string): Promise<EventLog> {
  const log = await bench.openAnother(url);
  opened.push(log);
  return log.log;
}

const append = (log: EventLog, postId = newId()) => bench.appendPost('alice', 'words', postId, log);

describe('a lagging follower', () => {
  it('is left for the leader by every kind of call', async () => {
    second.replica.holdBack();
    const { id, stream, position } = await append(await openAt(cluster.url));
    expect(await (await openAt(second.url)).read(stream)).toHaveLength(1);
    expect(await (await openAt(second.url)).head()).toBe(position);
    await (await openAt(second.url)).verify({ position, eventId: id });
    await expect(append(await openAt(second.url), stream.slice('post-'.length))).rejects.toBeInstanceOf(
      WrongExpectedRevision,
    );
    const { seen, stop } = follow(await openAt(second.url));
    await until(() => seen.length > 0);
    await stop();
    expect(seen).toEqual([id]);
  });

  it('is left by a subscription that began while it was the leader', async () => {
    const { seen, stop } = follow(await openAt(first.url));
    const writer = await openAt(cluster.url);
    const { id } = await append(writer);
    await until(() => seen.length === 1);
    first.replica.holdBack();
    await cluster.elect(second);
    const later = await append(writer);
    await until(() => seen.length === 2);
    await stop();
    expect(seen).toEqual([id, later.id]);
  });

  it('is not read from while no leader is known', async () => {
    await cluster.elect(undefined);
    const log = await openAt(cluster.url);
    const reading = log.read('post-none');
    await until(() => cluster.nodes.some(({ network }) => network.bytesAnswered() > 0));
    await expect(log.verify({ position: 0n, eventId: randomUUID() })).rejects.toBeInstanceOf(LogUnavailable);
    await expect(reading).rejects.toBeInstanceOf(LogUnavailable);
    await cluster.elect(second);
    await expect(append(log)).resolves.toMatchObject({ revision: 0n });
  });
});

describe('a frozen leader', () => {
  it('is left as soon as another is elected, with no event lost or duplicated', async () => {
    const log = await openAt(`${cluster.url}&${NEVER_LEAVES}`);
    const { seen, stop } = follow(log);
    await append(log);
    const over = new AbortController();
    const appendOnePost = async (): Promise<string> => {
      const postId = newId();
      const events = [{ id: randomUUID(), event: post(postId, 'alice', 'words') }];
      const event = { stream: `post-${postId}`, expected: 'no_stream', events, metadata } as const;
      await until(() =>
        log.append(event).catch((error: unknown) => {
          if (!(error instanceof LogUnavailable)) throw error;
        }),
      );
      return event.stream;
    };
    const writers = Array.from({ length: 8 }, async () => {
      const streams: string[] = [];
      while (!over.signal.aborted) streams.push(await appendOnePost());
      return streams;
    });
    // Commands ask for it before their reads, and hear nothing from a frozen leader by that.
    const asking = (async () => {
      while (!over.signal.aborted) {
        await log.leadership().catch(() => undefined);
        await pause(100);
      }
    })();
    await until(() => seen.length > 20);
    first.freeze();
    // No new leader is elected before the log searches for one.
    const told = second.network.bytesAnswered();
    await until(() => second.network.bytesAnswered() > told);
    await cluster.elect(second);
    const before = seen.length;
    await until(() => seen.length > before + 20);
    over.abort();
    await asking;
    const streams = (await Promise.all(writers)).flat();
    await until(() => seen.length > streams.length);
    await stop();
    await first.thaw();
    for (const stream of streams) expect(await log.read(stream)).toHaveLength(1);
    expect([seen.length, new Set(seen).size]).toEqual([streams.length + 1, streams.length + 1]);
  });

  it('is named as a cause that has an end', async () => {
    const log = await openAt(first.url);
    first.freeze();
    await log.reconnect();
    // Longer than the attempt to connect.
    let cause: unknown = await log.reach(undefined, 10_000).catch((error: unknown) => error);
    const chain = [];
    for (; cause instanceof Error && chain.length < 10; cause = cause.cause) chain.push(cause.name);
    expect(chain).toEqual(['LogUnavailable', 'DeadlineExceeded']);
  });

  it('ends no process by the appends that wait for it', async () => {
    const log = await openAt(`${cluster.url}&${NEVER_LEAVES}`);
    await append(log);
    first.freeze();
    const writing = Array.from({ length: 400 }, () =>
      bench.appendPost('alice', 'x'.repeat(10_000), newId(), log).catch((error: unknown) => {
        if (!(error instanceof LogUnavailable)) throw error;
      }),
    );
    // A log that searches for a leader has given up the frozen one.
    const told = second.network.bytesAnswered();
    await until(() => second.network.bytesAnswered() > told);
    await cluster.elect(second);
    await Promise.all(writing);
    expect(await until(() => append(log).catch(() => undefined))).toMatchObject({ revision: 0n });
    // Jest fails a test with an unhandled rejection; Node ends the process.
    await immediate();
  });

  it('is sent a limited number of appends before it answers, and left if it answers none', async () => {
    const log = await openAt(`${cluster.url}&${NEVER_LEAVES}`);
    await append(log);
    // Both answer reads and no append. The log goes to the second once it gives up the first.
    first.wakeAsLeader();
    cluster.wakeAsLeader(second);
    const writing = Array.from({ length: 2 * MAX_UNANSWERED }, () =>
      append(log).catch((error: unknown) => {
        if (!(error instanceof LogUnavailable)) throw error;
      }),
    );
    await until(() => second.unanswered.length > 0);
    expect(first.unanswered.length).toBeLessThanOrEqual(MAX_UNANSWERED);
    await cluster.elect(second);
    await Promise.all(writing);
    await until(() => append(log).catch(() => undefined));
  });

  it('causes no quarantine when it wakes up and believes that it still leads', async () => {
    first.freeze();
    await cluster.elect(second);
    const { position, id } = await append(await openAt(cluster.url));
    cluster.wakeAsLeader(first);
    const log = await openAt(cluster.url);
    await log.reach();
    const told = first.network.bytesAnswered();
    const verifying = log.verify({ position, eventId: id });
    await until(() => first.network.bytesAnswered() > told);
    await cluster.elect(second);
    await expect(verifying).resolves.toBeUndefined();
  });
});

describe('a proof of the leader', () => {
  it('is acknowledged by the leader of a cluster, and ends with its leadership', async () => {
    const log = await openAt(cluster.url);
    const proof = await log.prove();
    expect(proof).toMatchObject({ holds: true });
    await cluster.elect(second);
    await until(() => proof?.holds === false);
    expect(await log.prove()).toMatchObject({ holds: true });
  });

  it('ends with the connection, which may lead to another node behind the same address', async () => {
    const log = await openAt(first.url);
    const proof = await log.prove();
    first.network.reset();
    await until(() => proof?.holds === false);
    expect(await until(async () => (await log.prove().catch(() => undefined))?.holds)).toBe(true);
  });

  it('is not given by an isolated leader, which still answers reads from its old state', async () => {
    const isolated = await openAt(first.directUrl);
    await append(isolated);
    await cluster.isolate(first, second);
    const { stream } = await append(await openAt(second.url));
    expect(await isolated.read(stream)).toEqual([]);
    await expect(isolated.prove()).rejects.toMatchObject({
      name: 'LogUnavailable',
      message: 'The event log did not prove that its leader still leads.',
    });
    await cluster.rejoin(first);
    await until(async () => (await isolated.prove().catch(() => undefined))?.holds);
    expect(await isolated.read(stream)).toHaveLength(1);
  });

  it('is not needed on one node, which is asked once on each connection', async () => {
    const single = await TestCluster.start(1);
    try {
      const [node] = single.nodes as [ClusterNode];
      const log = await openAt(node.url);
      expect(await log.prove()).toBeUndefined();
      await single.add();
      expect(await log.prove()).toBeUndefined();
      node.network.reset();
      await until(async () => (await log.prove().catch(() => undefined))?.holds);
    } finally {
      for (const each of opened.splice(0)) await each.close();
      await single.stop();
    }
  });
});

describe('an address that names some nodes of a cluster', () => {
  const some = (...nodes: readonly ClusterNode[]) =>
    `esdb://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`;

  it('leads to a leader that it does not name, even if a named node is away', async () => {
    const third = cluster.nodes[2] as ClusterNode;
    await first.network.cut();
    await cluster.elect(third);
    const log = await openAt(some(first, second));
    expect(await until(() => append(log).catch(() => undefined))).toMatchObject({ revision: 0n });
  });

  it.each([
    ['all nodes', () => cluster.url],
    ['two nodes', () => some(first, second)],
    ['one name', () => first.url.replace('esdb://', 'esdb+discover://')],
  ])('does not lead to a deposed leader that still names itself: %s', async (_, url) => {
    await cluster.elect(second);
    first.replica.holdBack();
    const writer = await openAt(second.url);
    const { position } = await until(() => append(writer).catch(() => undefined));
    first.wakeAsLeader();
    cluster.mislead(first, first);
    const others = cluster.nodes.slice(1);
    for (const { network } of others) network.holdAnswers();
    const answered = first.network.bytesAnswered();
    const log = await openAt(url());
    const head = log.head().catch(() => undefined);
    await until(() => first.network.bytesAnswered() > answered);
    for (const { network } of others) network.releaseAnswers();
    expect((await head) ?? (await until(() => log.head().catch(() => undefined)))).toBe(position);
  });

  it('leads nowhere while only a minority answers', async () => {
    for (const node of cluster.nodes.slice(1)) await node.network.cut();
    for (const url of [cluster.url, some(first, second), some(first).replace('esdb', 'esdb+discover')])
      await expect((await openAt(url)).head()).rejects.toBeInstanceOf(LogUnavailable);
  });
});

describe('a cluster without a reachable node', () => {
  const log = () => openAt(`${cluster.url}&discoveryInterval=20`);
  const cutAll = () => Promise.all(cluster.nodes.map(({ network }) => network.cut()));
  const reopenAll = () => Promise.all(cluster.nodes.map(({ network }) => network.reopen()));

  it('is found again by readers, writers and subscribers, however long the outage took', async () => {
    const away = await log();
    const { seen, stop } = follow(away);
    const before = await append(away);
    await until(() => seen.length === 1);
    await cutAll();
    // By default the client gives up after ten rounds of discovery.
    for (let i = 0; i < 3; i++) await expect(append(away)).rejects.toBeInstanceOf(LogUnavailable);
    await reopenAll();
    const after = await append(away);
    await until(() => seen.length === 2);
    await stop();
    expect(seen).toEqual([before.id, after.id]);
    expect(await away.read(after.stream)).toHaveLength(1);
  });

  it('never receives an append that was given up meanwhile', async () => {
    const away = await log();
    await append(away);
    await cutAll();
    const givenUp = Array.from({ length: 20 }, () => newId());
    await Promise.all(
      givenUp.map((postId) => expect(append(away, postId)).rejects.toBeInstanceOf(LogUnavailable)),
    );
    await reopenAll();
    await append(away);
    for (const postId of givenUp) expect(await away.read(`post-${postId}`)).toEqual([]);
  });

  it('leaves no connection to a node that does not lead', async () => {
    const away = await log();
    const connections = () => cluster.nodes.map(({ network }) => network.connections());
    await append(away);
    await until(() => String(connections()) === '1,0,0');
    await cutAll();
    await expect(append(away)).rejects.toBeInstanceOf(LogUnavailable);
    await cluster.elect(second);
    await reopenAll();
    await append(away);
    await until(() => String(connections()) === '0,1,0');
  });
});

it('a node that once fails to list its features accepts the next append', async () => {
  const log = await openAt(first.url);
  first.hidesFeatures = true;
  await expect(append(log)).rejects.toMatchObject({ name: 'LogUnavailable', cause: { code: 13 } });
  first.hidesFeatures = false;
  expect(await until(() => append(log).catch(() => undefined))).toMatchObject({ revision: 0n });
});

it('a node that rejects the credentials accepts no append and answers no read', async () => {
  first.refusesCredentials = true;
  const log = await openAt(first.url);
  await expect(append(log)).rejects.toMatchObject({ name: 'LogUnavailable', cause: { code: 16 } });
  await expect(log.head()).rejects.toMatchObject({ name: 'LogUnavailable', cause: { code: 16 } });
  // A rejected credential says nothing about the content of the log.
  const checkpoint = { position: 0n, eventId: randomUUID() };
  await expect(log.verify(checkpoint)).rejects.toMatchObject({ name: 'LogUnavailable', cause: { code: 16 } });
});
