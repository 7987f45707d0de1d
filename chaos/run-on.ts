import { startNetwork } from '../test/support/network.js';
import type { TestNetwork } from '../test/support/network.js';
import { Artifacts } from './artifacts.js';
import type { Random } from './random.js';
import type { Report } from './report.js';
import { runTrial } from './trial.js';
import type { Round } from './trial.js';

export interface RunOptions {
  readonly name: string;
  readonly dataDir: string;
  readonly settings?: NodeJS.ProcessEnv;
  readonly clients: number;
  readonly random: Random;
  readonly report: Report;
  readonly givenUp: AbortSignal;
  readonly rounds: (network: TestNetwork, artifacts: Artifacts) => readonly Round[];
  /** Called after the network has stopped. Data removed here is never kept. */
  readonly onEnd?: () => void;
}

/** Runs the rounds on a network with this data and reports. Removes everything unless a promise was broken. */
export async function runOn(options: RunOptions): Promise<boolean> {
  const { name, dataDir, settings, clients, random, report, givenUp, onEnd } = options;
  const artifacts = new Artifacts(name, dataDir);
  let network: TestNetwork | undefined;
  try {
    network = keepingOutput(await startNetwork({ LOG_LEVEL: 'warn', ...settings }, dataDir), artifacts);
    let rounds = 0;
    const result = await runTrial(network, options.rounds(network, artifacts), {
      clients,
      random,
      givenUp,
      onRound: (line) => {
        rounds = line.round;
        report.round(line);
      },
    });
    artifacts.output(network.output());
    const isWhole = result.findings.length === 0;
    report.closing(result, { rounds, kept: isWhole ? undefined : artifacts.keep(result) });
    return isWhole;
  } finally {
    await network?.halt();
    onEnd?.();
    artifacts.clear();
  }
}

const keepingOutput = (network: TestNetwork, artifacts: Artifacts): TestNetwork => ({
  ...network,
  // It changes when the network stops or starts.
  get env() {
    return network.env;
  },
  restart: () => {
    artifacts.output(network.output());
    return network.restart();
  },
});
