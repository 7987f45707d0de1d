import { newDataDir } from '../test/support/data-dir.js';
import { startNetwork } from '../test/support/network.js';
import type { TestNetwork } from '../test/support/network.js';
import { Artifacts } from './artifacts.js';
import { pidOf } from './event-store-nodes.js';
import type { Node } from './event-store-nodes.js';
import { everyFault, faultsOf, faultText } from './faults.js';
import { inflict } from './harm.js';
import { Random } from './random.js';
import { readLog } from './read-log.js';
import type { Report } from './report.js';
import { runTrial } from './trial.js';

const CLIENTS = 8;

export interface RoundsOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Unset: the network's own. */
  readonly eventStoreUrl?: string | undefined;
  /** Of that event store: without them it is not harmed. */
  readonly nodes: readonly Node[];
  readonly report: Report;
  readonly givenUp: AbortSignal;
}

/** Kills and freezes the processes of a network of its own. Resolves with whether every promise was kept. */
export async function runRounds(options: RoundsOptions): Promise<boolean> {
  const { rounds, seed, eventStoreUrl, nodes, report, givenUp } = options;
  report.say(`seed ${seed}`, { seed });
  const isOurs = eventStoreUrl === undefined;
  const isSpared = !isOurs && nodes.length === 0;
  if (isSpared)
    report.say(
      `the event store at ${eventStoreUrl} is not harmed: --node-pid-file and --node-start would let it be`,
    );
  if (!isOurs) await refuseUsedLog(eventStoreUrl);
  nodes.forEach(pidOf);
  const random = new Random(seed);
  const possible = isSpared ? everyFault.filter(([, victim]) => victim !== 'event store') : everyFault;
  const faults = faultsOf(random.fork(), rounds, possible);
  const dataDir = newDataDir();
  const artifacts = new Artifacts(`chaos-${seed}`, dataDir);
  const network = await startNetwork(
    { LOG_LEVEL: 'warn', ...(eventStoreUrl !== undefined && { EVENTSTORE_URL: eventStoreUrl }) },
    dataDir,
  );
  let isStopped = false;
  try {
    let done = 0;
    const harmed = {
      network: keepingOutput(network, artifacts),
      nodes,
      nodeLog: artifacts.file('nodes.log'),
      givenUp,
    };
    const result = await runTrial(
      network,
      faults.map((fault) => ({ fault: faultText(fault), inflict: () => inflict(fault, harmed) })),
      {
        clients: CLIENTS,
        random: random.fork(),
        givenUp,
        onRound: (line) => {
          done = line.round;
          report.round(line);
        },
      },
    );
    artifacts.output(network.output());
    isStopped = true;
    await network.halt();
    const isWhole = result.findings.length === 0;
    report.closing(result, { rounds: done, kept: isWhole ? undefined : artifacts.keep(result) });
    return isWhole;
  } finally {
    if (!isStopped) await network.halt();
    artifacts.clear();
  }
}

/** The launcher's output ends with it. */
const keepingOutput = (network: TestNetwork, artifacts: Artifacts): TestNetwork => ({
  ...network,
  pids: () => network.pids(),
  restart: () => {
    artifacts.output(network.output());
    return network.restart();
  },
});

/** Another network's log cannot be read with the keys of this one. */
async function refuseUsedLog(url: string): Promise<void> {
  if ((await readLog(url)).length > 0)
    throw new Error(`the log at ${url} is not empty: chaos needs an event store of its own`);
}
