import { setTimeout as pause } from 'node:timers/promises';
import { childProcessIds, waitUntilGone, isAlive } from '../src/launch/processes.js';
import type { TestNetwork } from '../test/support/network.js';
import { until } from '../test/support/until.js';
import { leaderOf, pidOf, startEnded, startNode } from './event-store-nodes.js';
import type { Node } from './event-store-nodes.js';
import type { Fault, Victim } from './faults.js';

const LONGEST_RESTART_MS = 120_000;
const names = {
  'event store': 'eventStore',
  Postgres: 'postgres',
  worker: 'worker',
  API: 'api',
  launcher: 'supervisor',
} as const;

export interface Harmed {
  readonly network: TestNetwork;
  readonly nodes: readonly Node[];
  readonly eventStoreUrl: string | undefined;
  readonly nodeLog: string;
  readonly givenUp: AbortSignal;
}

/** Resolves when killed processes run again and frozen ones continue. */
export async function inflict(fault: Fault, harmed: Harmed): Promise<void> {
  const { network, nodes, nodeLog, eventStoreUrl = '' } = harmed;
  const { victim } = fault;
  await startEnded(nodes, nodeLog);
  const struck = victim === 'leader' ? { ...harmed, nodes: [await leaderOf(nodes, eventStoreUrl)] } : harmed;
  if (fault.harm === 'freeze') return freeze(fault, struck);
  if (victim === 'leader' || (victim === 'event store' && nodes.length > 0)) return killNodes(fault, struck);
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
      for (const pid of pidsOf(victim, harmed)) if (!frozen.has(pid) && send(pid, 'SIGSTOP')) frozen.add(pid);
    await pause(forMs, undefined, { signal: harmed.givenUp });
  } finally {
    for (const pid of frozen) send(pid, 'SIGCONT');
  }
}

async function killNodes({ harm, forMs }: Fault, { nodes, nodeLog, givenUp }: Harmed): Promise<void> {
  const killAll = async () => {
    const pids = nodes.map(pidOf);
    pids.forEach(kill);
    await Promise.all(pids.map((pid) => waitUntilGone(pid, LONGEST_RESTART_MS)));
  };
  const startAll = () => Promise.all(nodes.map((node) => startNode(node, nodeLog)));
  await killAll();
  await startAll();
  if (harm === 'kill') return;
  await pause(forMs, undefined, { signal: givenUp });
  await killAll();
  await startAll();
}

const kill = (pid: number | undefined): void => void (pid !== undefined && send(pid, 'SIGKILL'));

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
