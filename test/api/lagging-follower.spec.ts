import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { TestCluster } from '../support/cluster.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { statusAndBody } from '../support/posts.js';
import { block, unblock } from '../support/social.js';
import { until } from '../support/until.js';

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
  ada = await signIn(network, application, scope);
  bob = await signIn(network, application, scope);
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
