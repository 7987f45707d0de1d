import { newDataDir } from '../test/support/data-dir.js';
import { pidOf } from './event-store-nodes.js';
import type { Node } from './event-store-nodes.js';
import { everyFault, faultsOf, faultsOfLeader, faultText } from './faults.js';
import type { Victim } from './faults.js';
import { inflict } from './harm.js';
import { Random } from './random.js';
import { readLog } from './read-log.js';
import type { Report } from './report.js';
import { runOn } from './run-on.js';

export interface RoundsOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  readonly eventStoreUrl?: string | undefined;
  /** Nodes of an external event store; without them it is never harmed. */
  readonly nodes: readonly Node[];
  readonly victims?: readonly Victim[] | undefined;
  readonly report: Report;
  readonly givenUp: AbortSignal;
}

/** Kills and freezes processes of its own network. Resolves with true if every promise was kept. */
export async function runRounds(options: RoundsOptions): Promise<boolean> {
  const { rounds, seed, clients, eventStoreUrl, nodes, report, givenUp } = options;
  const isSpared = eventStoreUrl !== undefined && nodes.length === 0;
  const possible = faultsIn(options, isSpared);
  report.say(`seed ${seed}, ${clients} clients`, { seed, clients });
  if (isSpared)
    report.say(
      'the event store that EVENTSTORE_URL names is not harmed: see --node-pid-file and --node-start',
    );
  if (eventStoreUrl !== undefined) await refuseUsedLog(eventStoreUrl);
  for (const node of nodes) pidOf(node);
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
      const harmed = { network, nodes, eventStoreUrl, nodeLog: artifacts.file('nodes.log'), givenUp };
      return faults.map((fault) => ({ fault: faultText(fault), inflict: () => inflict(fault, harmed) }));
    },
  });
}

/** `isSpared`: the event store is not harmed. */
function faultsIn({ nodes, victims }: RoundsOptions, isSpared: boolean): typeof everyFault {
  const all = nodes.length > 1 ? [...everyFault, ...faultsOfLeader] : everyFault;
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
