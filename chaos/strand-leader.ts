import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../test/support/until.js';
import { isRunning, killNodes, leaderOf, startEnded, startNode } from './event-store-nodes.js';
import type { Harmed } from './harmed.js';

const LONGEST_ELECTION_MS = 120_000;
/** Enough for the next leader to take writes that the former one lacks. */
const OTHERS_LEAD_MS = 1_500;
/** A returning leader with events of its own ends itself within this time. */
const ENDS_ITSELF_MS = 20_000;

/**
 * Kills the followers, and a moment later the leader, whose newest events no other node has then. The followers return
 * first and elect another leader: when the former one returns, it truncates its log, ends itself and is started again.
 */
export async function strandLeader(
  forMs: number,
  { nodes, eventStoreUrl = '', nodeLog, givenUp }: Harmed,
): Promise<void> {
  const leader = await leaderOf(nodes, eventStoreUrl);
  const followers = nodes.filter((node) => node !== leader);
  await killNodes(followers);
  try {
    await pause(forMs, undefined, { signal: givenUp });
    await killNodes([leader]);
  } finally {
    await startEnded(followers, nodeLog);
  }
  await until(async () => (await leaderOf(nodes, eventStoreUrl)) !== leader, LONGEST_ELECTION_MS);
  await pause(OTHERS_LEAD_MS, undefined, { signal: givenUp });
  await startNode(leader, nodeLog);
  const endsAt = performance.now() + ENDS_ITSELF_MS;
  await until(() => !isRunning(leader) || performance.now() > endsAt, 2 * ENDS_ITSELF_MS);
  await startEnded(nodes, nodeLog);
}
