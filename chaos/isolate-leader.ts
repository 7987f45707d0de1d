import { setTimeout as pause } from 'node:timers/promises';
import { FORWARDS } from '@eventstore/db-client';
import type { EndPoint, RecordedEvent } from '@eventstore/db-client';
import { readEventStoreAddress } from '../src/base/config/event-store-files.js';
import type { EventStoreConnection } from '../src/base/config/event-store-files.js';
import { collectEvents, readNewest } from '../src/log/eventstoredb/bounded-read.js';
import { LeaderNotFound, within } from '../src/log/client-errors.js';
import { connect } from '../src/log/eventstoredb/connect.js';
import { nodeToAsk } from '../src/log/eventstoredb/gossip.js';
import { startApiProcess } from '../test/support/api-process.js';
import { until } from '../test/support/until.js';
import type { Shared } from './client/shared.js';
import { newSwitcher } from './client/switcher.js';
import { leaderOf, pidOf, startEnded } from './event-store-nodes.js';
import type { Node } from './event-store-nodes.js';
import type { Harmed } from './harmed.js';
import { isReady } from './is-ready.js';
import { connectsFrom } from './node-proxies.js';

const LONGEST_RETURN_MS = 180_000;
const LONGEST_ANSWER_MS = 2_000;
/** Each is a chance that the former leader answers from its old state. */
const PAIRS = 4;

/**
 * Cuts the leader off from all but the API. A person blocks and follows, ends both through another API, whose leader is
 * the next one, and does both again through the first: its leader still answers reads for a moment, from a state in
 * which nothing changes. The person's acts are checked with all others.
 */
export async function isolateLeader(forMs: number, harmed: Harmed, shared: Shared): Promise<void> {
  const { network, nodes, proxies, eventStoreUrl = '', givenUp } = harmed;
  const firstPort = Number(new URL(network.baseUrl).port);
  const second = await startApiProcess(network);
  try {
    const person = await newSwitcher(network, shared, PAIRS);
    for (const pair of person.pairs) await person.establish(pair, firstPort);
    const leader = await leaderOf(nodes, eventStoreUrl);
    const [leaderPid, apiPid] = [pidOf(leader), network.pids().api ?? 0];
    try {
      for (const [n, proxy] of proxies.entries())
        proxy.refuse(
          nodes[n] === leader
            ? (port) => !connectsFrom(apiPid, port)
            : (port) => connectsFrom(leaderPid, port),
        );
      for (const pair of person.pairs) {
        await person.end(pair, second.port);
        await person.establish(pair, firstPort);
      }
      await pause(forMs, undefined, { signal: givenUp });
    } finally {
      for (const proxy of proxies) proxy.refuse(() => false);
    }
    await untilFollowing(leader, harmed);
    await until(() => isReady(`http://127.0.0.1:${second.port}`), LONGEST_RETURN_MS);
  } finally {
    await second.stop();
  }
}

/**
 * Resolves when this former leader has the newest event of the next one. If it has events of its own, it ends itself
 * first, and is started again.
 */
async function untilFollowing(node: Node, { nodes, nodeLog, eventStoreUrl = '' }: Harmed): Promise<void> {
  const address = readEventStoreAddress(eventStoreUrl);
  const { id, position } = await until(async () => {
    const leader = await nodeToAsk(address).catch((error: unknown) => {
      // The nodes may elect another one.
      if (error instanceof LeaderNotFound) return undefined;
      throw error;
    });
    return leader && eventAt(address, leader, readNewest);
  }, LONGEST_RETURN_MS);
  const at = address.hosts[nodes.indexOf(node)];
  if (!position || !at) throw new Error('the event store sent an event without a position');
  const there = { direction: FORWARDS, fromPosition: position, maxCount: 1 } as const;
  await until(async () => {
    await startEnded(nodes, nodeLog);
    const event = await eventAt(address, at, async (client, signal) => {
      const [found] = await collectEvents(client.readAll(there), signal);
      return found;
    });
    return event?.id === id;
  }, LONGEST_RETURN_MS);
}

/** Undefined if this node does not answer. */
async function eventAt(
  address: EventStoreConnection,
  at: EndPoint,
  read: typeof readNewest,
): Promise<RecordedEvent | undefined> {
  const client = connect(address, at);
  try {
    return await within(LONGEST_ANSWER_MS, (signal) => read(client, signal));
  } catch {
    return undefined;
  } finally {
    await client.dispose();
  }
}
