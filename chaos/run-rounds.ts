import { newDataDir } from '../test/support/data-dir.js';
import { until } from '../test/support/until.js';
import { pidOf } from './event-store-nodes.js';
import type { Node } from './event-store-nodes.js';
import { everyFault, faultsOf, faultsOfLeader, faultsOfProxiedLeader, faultText } from './faults.js';
import type { Victim } from './faults.js';
import { inflict } from './harm.js';
import { startNodeProxies } from './node-proxies.js';
import type { NodeProxies } from './node-proxies.js';
import { Random } from './random.js';
import { readLog } from './read-log.js';
import type { Report } from './report.js';
import { runOn } from './run-on.js';

const LONGEST_ELECTION_MS = 120_000;

export interface RoundsOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  readonly eventStoreUrl?: string | undefined;
  /** Nodes of an external event store; without them it is never harmed. */
  readonly nodes: readonly Node[];
  /** Of each node the ports that it advertises, and its own: see {@link startNodeProxies}. */
  readonly nodePorts: readonly string[];
  readonly victims?: readonly Victim[] | undefined;
  readonly report: Report;
  readonly givenUp: AbortSignal;
}

/** Kills and freezes processes of its own network. Resolves with true if every promise was kept. */
export async function runRounds(options: RoundsOptions): Promise<boolean> {
  const { nodePorts } = options;
  const proxies = await Promise.all(nodePorts.map((ports) => startNodeProxies(ports)));
  try {
    return await runBehind(proxies, options);
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }
}

async function runBehind(proxies: readonly NodeProxies[], options: RoundsOptions): Promise<boolean> {
  const { rounds, seed, clients, eventStoreUrl, nodes, report, givenUp } = options;
  const isSpared = eventStoreUrl !== undefined && nodes.length === 0;
  const possible = faultsIn(options, isSpared);
  report.say(`seed ${seed}, ${clients} clients`, { seed, clients });
  if (isSpared)
    report.say(
      'the event store that EVENTSTORE_URL names is not harmed: see --node-pid-file and --node-start',
    );
  for (const node of nodes) pidOf(node);
  if (eventStoreUrl !== undefined) {
    const isServed = () => readLog(eventStoreUrl).then(Boolean, () => false);
    // Without the proxies the nodes could not elect a leader.
    if (proxies.length > 0) await until(isServed, LONGEST_ELECTION_MS);
    await refuseUsedLog(eventStoreUrl);
  }
  const random = new Random(seed);
  const faults = faultsOf(random.fork(), rounds, possible);
  return runOn({
    name: `chaos-${seed}`,
    dataDir: newDataDir(),
    ...(eventStoreUrl !== undefined && { settings: { EVENTSTORE_URL: eventStoreUrl } }),
    clients,
    random: random.fork(),
    report,
    givenUp,
    rounds: (network, artifacts) => {
      const nodeLog = artifacts.file('nodes.log');
      const harmed = { network, nodes, proxies, eventStoreUrl, nodeLog, givenUp };
      return faults.map((fault) => ({
        fault: faultText(fault),
        inflict: (shared) => inflict(fault, harmed, shared),
      }));
    },
  });
}

/** `isSpared`: the event store is not harmed. */
function faultsIn({ nodes, nodePorts, victims }: RoundsOptions, isSpared: boolean): typeof everyFault {
  const all = [
    ...everyFault,
    ...(nodes.length > 1 ? faultsOfLeader : []),
    ...(nodePorts.length > 1 ? faultsOfProxiedLeader : []),
  ];
  const possible = all.filter(
    ([, victim]) => !(isSpared && victim === 'event store') && (victims?.includes(victim) ?? true),
  );
  if (possible.length === 0) throw new Error(`nothing can be done to ${victims?.join(', ')} here`);
  return possible;
}

/** A log of another network is unreadable without its keys. */
async function refuseUsedLog(url: string): Promise<void> {
  if ((await readLog(url)).length > 0)
    throw new Error('the log that EVENTSTORE_URL names is not empty: chaos needs one of its own');
}
