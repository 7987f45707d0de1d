import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { TestCluster } from '../support/cluster.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { deletePost, createPost } from '../support/posts.js';
import { until } from '../support/until.js';

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
  ada = await signIn(network, await registerApplication(network), 'openid read post:create post:delete');
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
