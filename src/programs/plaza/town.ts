import { InvalidArgumentError } from 'commander';
import { printResult } from '../../base/terminal/output.js';
import { terminal } from '../../base/terminal/terminal.js';
import { AwaitsApproval } from '../../operator/client/awaits-approval.js';
import type { OperatorOptions } from '../../operator/client/command-options.js';
import { withTokenAdvice } from '../demo/town/acts.js';
import { demoNetwork } from '../demo/town/network.js';
import { FEWEST_PEOPLE, GUEST, MOST_PEOPLE } from '../demo/town/plan.js';
import { removeTown } from '../demo/town/remove.js';
import { seedTown } from '../demo/town/seed.js';
import { requireServable, serveApplication } from '../demo/town/serve.js';
import { townFileIn, withTownLock } from '../demo/town/town-file.js';

export interface TownOptions extends OperatorOptions {
  readonly people?: number;
  readonly serve?: true;
  readonly remove?: true;
}

export function peopleCount(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= FEWEST_PEOPLE && count <= MOST_PEOPLE) return count;
  throw new InvalidArgumentError(`It must be a whole number from ${FEWEST_PEOPLE} to ${MOST_PEOPLE}.`);
}

export async function runTown(size: number, options: TownOptions): Promise<void> {
  const network = demoNetwork(options);
  const { config } = network;
  if (options.serve) await requireServable(config);
  const tell = (sentence: string) => void terminal().stderr.write(`${sentence}\n`);
  const town = await withTownLock(config.dataDir, () => seedTown(network, size, tell)).catch(
    (error: unknown) => {
      throw withTokenAdvice(error);
    },
  );
  const { application, people } = town;
  const address = `http://localhost:${application.port}`;
  const { handle = '', password = '' } = people[GUEST] ?? {};
  const file = townFileIn(config.dataDir);
  printResult(options, { people: people.length, clientId: application.clientId, handle, password, file }, [
    `${people.length} people are on ${config.baseUrl}. Sign in as one of them:`,
    '',
    ...(options.serve ? [`  address   ${address}`] : []),
    `  handle    ${handle}`,
    `  password  ${password}`,
    '',
    `${file} has all handles and passwords as they were at first, and the application's secret.`,
    `One report waits in the queue of operators: ${config.operatorBaseUrl}/console/cases`,
    'npx plaza demo --remove erases these people and all that they wrote.',
  ]);
  if (options.serve) await serveApplication(config, application);
}

export async function runRemoval(options: TownOptions): Promise<void> {
  const network = demoNetwork(options);
  const { baseUrl, dataDir } = network.config;
  const removal = await withTownLock(dataDir, () => removeTown(network)).catch((error: unknown) => {
    if (error instanceof AwaitsApproval)
      terminal().stderr.write('After plaza approval run, repeat plaza demo --remove: it does the rest.\n');
    throw withTokenAdvice(error);
  });
  if (!removal)
    return printResult(options, { erased: 0 }, [
      `there is no demo on ${dataDir} (DATA_DIR); nothing changed`,
    ]);
  const { erased, isKnown } = removal;
  printResult(options, { erased }, [
    isKnown
      ? `the demo is removed: its people are erased (${erased} by this command), and its application has no access any more`
      : `the network at ${baseUrl} does not know the application of this demo: it began anew, or was restored from before the demo. ` +
        `${erased} of its people were left there and are erased, and ${townFileIn(dataDir)} is removed`,
    'If npm run demo still serves the application, end that with Ctrl-C.',
  ]);
}
