import { Command, InvalidArgumentError, Option } from 'commander';
import { configuredEventStoreUrl } from '../test/support/configured-event-store.js';
import { runDiskCases } from './disk/run-disk-cases.js';
import { everyFault, faultsOfLeader, faultsOfProxiedLeader } from './faults.js';
import type { Victim } from './faults.js';
import { Interrupted } from './interrupted.js';
import { Report } from './report.js';
import { runRounds } from './run-rounds.js';

/** `npm run chaos`: breaks a network under load and checks its promises; see chaos/README.md. */

interface Options {
  readonly rounds?: number;
  readonly seed: number;
  readonly clients: number;
  readonly disk?: true | string;
  readonly json?: true;
  readonly nodePidFile: readonly string[];
  readonly nodeStart: readonly string[];
  readonly nodePorts: readonly string[];
  readonly victim?: readonly Victim[];
}

const ROUNDS = 16;
const TIMES = 2;

const victims = [
  ...new Set([...everyFault, ...faultsOfLeader, ...faultsOfProxiedLeader].map(([, victim]) => victim)),
];

const program = new Command('chaos')
  .description(
    'break a network under load, and check that nothing is lost, doubled, out of order, or shown after it is gone',
  )
  .option(
    '--rounds <n>',
    `how many faults (default: ${ROUNDS}); of disks, how often each breaks (default: ${TIMES})`,
    wholeNumber,
  )
  .option('--seed <n>', 'decides faults and clients; by default another each time', wholeNumber, newSeed())
  .option('--clients <n>', 'how many clients write and read all the time', atLeastTwo, 8)
  .option(
    '--disk [words]',
    'full and failing disks in place of killed processes, or those named so; needs root',
  )
  .option('--json', 'a JSON object a line')
  .option(
    '--node-pid-file <files...>',
    'of the nodes behind EVENTSTORE_URL: where their process ids stand',
    [],
  )
  .option('--node-start <commands...>', 'what starts each of these nodes again, in the same order', [])
  .option(
    '--node-ports <ports...>',
    'of each of these nodes, in the same order: the ports that it advertises, and those of its own, as 2111=3111,1111=3112',
    [],
  )
  .addOption(
    new Option('--victim <names...>', 'whom faults strike; by default everybody in turn').choices(victims),
  )
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const options = program.parse().opts<Options>();
if (options.nodePidFile.length !== options.nodeStart.length)
  program.error('--node-pid-file and --node-start go together: as many files as commands', { exitCode: 2 });
if (options.nodePorts.length > 0 && options.nodePorts.length !== options.nodeStart.length)
  program.error('--node-ports needs the ports of each node that --node-start names', { exitCode: 2 });
const malformed = options.nodePorts.find((ports) => !/^\d+=\d+(?:,\d+=\d+)*$/.test(ports));
if (malformed !== undefined)
  program.error(`--node-ports: ${malformed} must be like 2111=3111,1111=3112`, { exitCode: 2 });

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupted.abort(new Interrupted(signal)));

const report = new Report(options);
const run = { ...options, report, givenUp: interrupted.signal };
try {
  const isWhole = options.disk
    ? await runDiskCases({
        ...run,
        times: options.rounds ?? TIMES,
        named: options.disk === true ? '' : options.disk,
      })
    : await runRounds({
        ...run,
        rounds: options.rounds ?? ROUNDS,
        eventStoreUrl: configuredEventStoreUrl(),
        victims: options.victim,
        nodes: options.nodePidFile.map((pidFile, n) => ({ pidFile, start: options.nodeStart[n] ?? '' })),
      });
  process.exitCode = isWhole ? 0 : 1;
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  report.say('interrupted: everything is stopped and removed, and nothing was checked');
  process.exitCode = 130;
}

function wholeNumber(value: string): number {
  if (/^[0-9]{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** A client follows, blocks and reads the others. */
function atLeastTwo(value: string): number {
  const number = wholeNumber(value);
  if (number >= 2) return number;
  throw new InvalidArgumentError('It must be at least 2.');
}

function newSeed(): number {
  return Math.floor(Math.random() * 1e9);
}
