import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Readiness } from '../../src/server/health/health.js';
import { freePort } from '../../src/launch/free-port.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { TestCluster } from '../support/cluster.js';
import { builtProcess } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { createPost, deletePost, statusAndBody } from '../support/posts.js';
import { block, unblock } from '../support/social.js';
import { until } from '../support/until.js';

describe('a network on a cluster', () => {
  /** The address names the second node alone; the processes ask the members that it names. */
  let cluster: TestCluster;
  let first: ClusterNode;
  let second: ClusterNode;
  let network: TestNetwork;
  let ada: SignedIn;

  beforeAll(async () => {
    cluster = await TestCluster.start();
    [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const url = second.url.replace('esdb:', 'esdb+discover:');
    // By default the client leaves a silent node after twenty seconds; here it must not.
    const options = 'keepAliveInterval=600000&keepAliveTimeout=600000';
    network = await startNetwork({ EVENTSTORE_URL: `${url}&${options}`, REGISTRATION: 'open' });
    ada = await personWithToken(
      network,
      await registerApplication(network),
      'openid read post:create post:delete',
    );
  });

  afterAll(async () => {
    await network?.stop();
    await cluster?.stop();
  });

  const isReady = async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200;
  const isGone = async (id: string) => (await ada.get(`/api/posts/${id}`)).status === 404;

  it('a network accepts writes again after its leader froze and another node was elected', async () => {
    const pids = network.pids();
    const id = await createPost(ada, 'before');
    first.freeze();
    // The election comes after a process has started to search, so that its first search fails.
    const bytesBefore = second.network.bytesAnswered();
    await until(() => second.network.bytesAnswered() > bytesBefore);
    await cluster.elect(second);
    await until(async () => (await ada.say('after')).status === 200);
    await until(async () => (await deletePost(ada, id)).status === 200);
    await until(() => isGone(id));
    await first.thaw();
    await until(isReady);
    expect(network.pids()).toEqual(pids);
  });

  it('a network accepts writes again after all nodes of its cluster were unreachable', async () => {
    const pids = network.pids();
    for (const { network: each } of cluster.nodes) await each.cut();
    for (let i = 0; i < 3; i++) expect((await ada.say('lost')).status).toBe(503);
    for (const { network: each } of cluster.nodes) await each.reopen();
    await until(async () => (await ada.say('found')).status === 200);
    await until(isReady);
    expect(network.pids()).toEqual(pids);
  });
});

describe('a network that knows a lagging follower alone', () => {
  /** The only node that the processes know. It is not the leader. */
  let follower: ClusterNode;
  let cluster: TestCluster;
  let network: TestNetwork;
  let ada: SignedIn;
  let bob: SignedIn;

  beforeAll(async () => {
    cluster = await TestCluster.start(2);
    follower = cluster.nodes[1]!;
    network = await startNetwork({ EVENTSTORE_URL: follower.url, REGISTRATION: 'open' });
    const application = await registerApplication(network);
    const scope = 'openid read post:create block:read block:write';
    ada = await personWithToken(network, application, scope);
    bob = await personWithToken(network, application, scope);
    await until(async () => (await block(ada, bob)).status === 200);
    // Clients of the leader reconnect to the node that they know.
    cluster.leader?.network.reset();
    await until(async () => (await readiness()) === 200);
    follower.replica.holdBack();
  });

  afterAll(async () => {
    await network?.stop();
    await cluster?.stop();
  });

  const blocks = async () => (await ada.get('/api/blocks')).body.blocks;
  const readiness = async () => (await fetch(`${network.baseUrl}/readyz`)).status;

  it('a network connected to a lagging follower decides by the events of the leader', async () => {
    expect(statusAndBody(await unblock(ada, bob))).toEqual([200, { blocked: false }]);
    expect(await blocks()).toEqual([]);
    expect(statusAndBody(await block(ada, bob))).toEqual([200, { blocked: true }]);
    expect(await blocks()).toEqual([bob.actorId]);
  });

  it('a network that starts while its follower lags is not in quarantine', async () => {
    await network.restart();
    await until(async () => (await readiness()) === 200);
    expect(await blocks()).toEqual([bob.actorId]);
    expect(statusAndBody(await unblock(ada, bob))).toEqual([200, { blocked: false }]);
  });
});

describe('on an event store with streams of another application', () => {
  let store: EmbeddedEventStore;
  let client: EventStoreDBClient;
  let network: TestNetwork;

  beforeAll(async () => {
    store = await startEmbeddedEventStore();
    client = EventStoreDBClient.connectionString(store.url);
    await appendOrders(1);
    network = await startNetwork({ EVENTSTORE_URL: store.url, EVENTSTORE_SHARED: 'on' });
  });
  afterAll(async () => {
    await network?.stop();
    await client?.dispose();
    await store?.stop();
  });

  /** Events of another application, of a type that the network uses, too. */
  const appendOrders = (count: number, stream = 'order-1') =>
    client.appendToStream(
      stream,
      Array.from({ length: count }, () =>
        jsonEvent({ id: randomUUID(), type: 'post.created', data: { amount: 1 } }),
      ),
    );

  it.each([['api'], ['projector']] as const)(
    'a process of role %s ends with the reason, unless EVENTSTORE_SHARED allows it',
    async (role) => {
      const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
      const child = spawn(process.execPath, [builtProcess(role)], {
        env: { ...network.env, ROLE: role, ...ports, EVENTSTORE_SHARED: 'off' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect(code).toBe(1);
      expect(stderr).toContain('streams of another application (\\"order-1\\")');
      expect(stderr).toContain('EVENTSTORE_SHARED=on');
    },
  );

  it('events of the other application are ignored, and delay nothing', async () => {
    const ada: SignedIn = await personWithToken(network, await registerApplication(network));
    expect((await ada.say('before')).status).toBe(200);
    await appendOrders(300);
    await appendOrders(1, 'network-x');
    expect((await ada.say('behind it')).status).toBe(200);
    await appendOrders(300);
    const lags = async () => (await operatorOf(network).get('projections')).projections.map(({ lag }) => lag);
    await until(async () => (await lags()).every((lag) => lag === 0));
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);
    expect((await ada.get('/api/reconcile')).body.ownPosts).toHaveLength(2);
  });

  it('an event of the other application in a stream of Plaza stops the read models, and operators read what to do', async () => {
    await appendOrders(1, 'post-1');
    const reasons = async () =>
      (await operatorOf(network).get('projections')).projections.map(({ stopped }) => stopped?.reason);
    const stopped = await until(async () => (await reasons()).find((reason) => reason !== undefined));
    expect(stopped).toMatch(
      /^post\.created \S+ at 0@post-1: it has no metadata of Plaza, so another program wrote it into a stream of Plaza: stop that program, then follow docs\/recovery\.md/,
    );
    const { components } = (await (await fetch(`${network.baseUrl}/readyz`)).json()) as Readiness;
    expect(components['readModels']?.reason).toBe(
      'A projection stands still: `plaza projections status` gives the reason.',
    );
  });
});

describe('a network on an event store with statistics', () => {
  /** Statistics that the event store writes into its own log. */
  const EVENTS = 4_000;
  const BYTES = 10_000;
  /** Events that the processes may read for other reasons meanwhile, on a slow machine. */
  const MAX_UNRELATED = EVENTS / 2;

  let cluster: TestCluster;
  let node: ClusterNode;
  let network: TestNetwork;

  beforeAll(async () => {
    cluster = await TestCluster.start(1);
    node = cluster.nodes[0]!;
    network = await startNetwork({ EVENTSTORE_URL: node.url });
    // The build of the read models asks for the newest event.
    await until(isReady);
    await cluster.writeStatistics(EVENTS, BYTES);
  });

  afterAll(async () => {
    await network?.stop();
    await cluster?.stop();
  });

  const isReady = async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200;

  /** Answered bytes during the work, in statistics events. */
  async function eventsReadDuring(work: () => Promise<unknown>): Promise<number> {
    const before = node.network.bytesAnswered();
    await work();
    return (node.network.bytesAnswered() - before) / BYTES;
  }

  it('/readyz does not read the event store’s statistics behind the newest event', async () => {
    const eventsRead = await eventsReadDuring(async () => {
      for (let i = 0; i < 20; i++) await until(isReady);
    });
    expect(eventsRead).toBeLessThan(MAX_UNRELATED);
  });

  it('a start with statistics behind the newest event ends, even if nobody writes', async () => {
    const eventsRead = await eventsReadDuring(async () => {
      await network.restart();
      await until(isReady);
    });
    expect(eventsRead).toBeLessThan(MAX_UNRELATED);
  });

  it('the lag of the projections is reported, with one read of the statistics', async () => {
    const lags = async () => (await operatorOf(network).get('projections')).projections.map(({ lag }) => lag);
    const eventsRead = await eventsReadDuring(async () => {
      for (let i = 0; i < 3; i++) await until(async () => (await lags()).every((lag) => lag === 0));
    });
    // Probes read the newest of them, the more often the longer it takes.
    expect(eventsRead).toBeLessThan(EVENTS * 2);
  });
});
