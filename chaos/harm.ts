import { setTimeout as pause } from 'node:timers/promises';
import { childProcessIds, isAlive } from '../src/launch/processes.js';
import { until } from '../test/support/until.js';
import { killNodes, leaderOf, pidOf, startEnded, startNode } from './event-store-nodes.js';
import type { Shared } from './client/shared.js';
import type { Fault, Victim } from './faults.js';
import type { Harmed } from './harmed.js';
import { isolateLeader } from './isolate-leader.js';
import { sendSignal } from './signals.js';
import { strandLeader } from './strand-leader.js';

const LONGEST_RESTART_MS = 120_000;
const names = {
  'event store': 'eventStore',
  Postgres: 'postgres',
  worker: 'worker',
  API: 'api',
  launcher: 'supervisor',
} as const;

/** Resolves when killed processes run again and frozen ones continue. */
export async function inflict(fault: Fault, harmed: Harmed, shared: Shared): Promise<void> {
  const { network, nodes, nodeLog, eventStoreUrl = '' } = harmed;
  const { victim } = fault;
  await startEnded(nodes, nodeLog);
  if (fault.harm === 'strand') return strandLeader(fault.forMs, harmed);
  if (victim === 'isolated leader') return isolateLeader(fault.forMs, harmed, shared);
  const struck = victim === 'leader' ? { ...harmed, nodes: [await leaderOf(nodes, eventStoreUrl)] } : harmed;
  if (fault.harm === 'freeze') return freeze(fault, struck);
  if (victim === 'leader' || (victim === 'event store' && nodes.length > 0))
    return killAndStart(fault, struck);
  if (victim === 'launcher' || victim === 'network') {
    // the launcher's children end by themselves
    await (victim === 'network' ? network.killAll('SIGKILL') : network.killLauncher());
    return network.restart();
  }
  const name = names[victim];
  const before = network.pids();
  const [doomed, { supervisor }] = [before[name], before];
  if (doomed === undefined) throw new Error(`${victim} does not run`);
  const known = new Set(childProcessIds(supervisor));
  kill(doomed);
  if (fault.harm === 'kill again') {
    const successor = await until(
      () => childProcessIds(supervisor).find((pid) => !known.has(pid)),
      LONGEST_RESTART_MS,
    );
    await pause(fault.forMs, undefined, { signal: harmed.givenUp });
    kill(successor);
  }
  await until(() => {
    const pid = network.pids()[name];
    return pid !== undefined && pid !== doomed && isAlive(pid);
  }, LONGEST_RESTART_MS);
}

function pidsOf(victim: Victim, { network, nodes }: Harmed): number[] {
  const pids = network.pids();
  const postgres = () =>
    pids.postgres === undefined ? [] : [pids.postgres, ...childProcessIds(pids.postgres)];
  const eventStore = () => (nodes.length > 0 ? nodes.map(pidOf) : [pids.eventStore]);
  const all = {
    'event store': eventStore,
    leader: eventStore,
    'isolated leader': eventStore,
    Postgres: postgres,
    worker: () => [pids.worker],
    API: () => [pids.api],
    launcher: () => [pids.supervisor],
    network: () => [pids.supervisor, pids.api, pids.worker, pids.eventStore, ...postgres()],
  };
  return all[victim]().filter((pid) => pid !== undefined);
}

async function freeze({ victim, forMs }: Fault, harmed: Harmed): Promise<void> {
  const frozen = new Set<number>();
  try {
    // twice, to freeze processes forked meanwhile
    for (let n = 0; n < 2; n++)
      for (const pid of pidsOf(victim, harmed))
        if (!frozen.has(pid) && sendSignal(pid, 'SIGSTOP')) frozen.add(pid);
    await pause(forMs, undefined, { signal: harmed.givenUp });
  } finally {
    for (const pid of frozen) sendSignal(pid, 'SIGCONT');
  }
}

async function killAndStart({ harm, forMs }: Fault, { nodes, nodeLog, givenUp }: Harmed): Promise<void> {
  const startAll = () => Promise.all(nodes.map((node) => startNode(node, nodeLog)));
  await killNodes(nodes);
  await startAll();
  if (harm === 'kill') return;
  await pause(forMs, undefined, { signal: givenUp });
  await killNodes(nodes);
  await startAll();
}

const kill = (pid: number | undefined): void => void (pid !== undefined && sendSignal(pid, 'SIGKILL'));
