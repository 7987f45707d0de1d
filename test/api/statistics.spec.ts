import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { operatorOf } from '../support/api.js';
import { TestCluster } from '../support/cluster.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

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
  const lags = async () => (await operatorOf(network).projections()).projections.map(({ lag }) => lag);
  const eventsRead = await eventsReadDuring(async () => {
    for (let i = 0; i < 3; i++) await until(async () => (await lags()).every((lag) => lag === 0));
  });
  expect(eventsRead).toBeLessThan(EVENTS * 1.2);
});
