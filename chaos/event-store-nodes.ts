import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readEventStoreAddress } from '../src/base/config/event-store-files.js';
import { isAlive, waitUntilGone } from '../src/launch/processes.js';
import { nodeToAsk } from '../src/log/eventstoredb/gossip.js';
import { until } from '../test/support/until.js';
import { sendSignal } from './signals.js';

const LONGEST_START_MS = 60_000;
const LONGEST_END_MS = 120_000;

/** A node of an external event store, with its start command. */
export interface Node {
  readonly pidFile: string;
  readonly start: string;
}

/** Finds the leader by gossip. `url` must list the nodes in the same order. */
export async function leaderOf(nodes: readonly Node[], url: string): Promise<Node> {
  const connection = readEventStoreAddress(url);
  const leader = await until(() => nodeToAsk(connection).catch(() => undefined), LONGEST_START_MS);
  const n = connection.hosts.findIndex(
    ({ address, port }) => address === leader.address && port === leader.port,
  );
  const node = nodes[n];
  if (!node) throw new Error('EVENTSTORE_URL must name the nodes by their own addresses, in the same order');
  return node;
}

/** Restarts ended nodes: a deposed leader with unreplicated events ends itself when it returns. */
export async function startEnded(nodes: readonly Node[], logFile: string): Promise<void> {
  for (const node of nodes) if (!isRunning(node)) await startNode(node, logFile);
}

export function isRunning(node: Node): boolean {
  try {
    return pidOf(node) > 0;
  } catch {
    return false;
  }
}

/** @throws {Error} the pid file names no running process */
export function pidOf({ pidFile }: Node): number {
  const pid = Number(readFileSync(pidFile, 'utf8').trim());
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid))
    throw new Error(`${pidFile} names no process that runs`);
  return pid;
}

/** Resolves when they have ended. */
export async function killNodes(nodes: readonly Node[]): Promise<void> {
  const pids = nodes.map(pidOf);
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
  await Promise.all(pids.map((pid) => waitUntilGone(pid, LONGEST_END_MS)));
}

/** Starts a node that outlives this process. Resolves when its pid file names a running process. */
export async function startNode(node: Node, logFile: string): Promise<void> {
  const log = openSync(logFile, 'a');
  const child = spawn('/bin/sh', ['-c', node.start], { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  await until(() => isRunning(node), LONGEST_START_MS);
}
