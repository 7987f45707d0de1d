import { Command, InvalidArgumentError } from 'commander';
import { startNetwork } from '../support/network.js';
import { runFuzz } from './run-fuzz.js';

/**
 * `npm run fuzz`: sends many invalid requests to a network of its own and compares every answer with the published
 * document. Exit code 1: an answer is undocumented, or a failure of the server.
 */

const EXAMPLES = 20;

const { requests, seed } = new Command('fuzz')
  .description('send requests of which many are wrong, and hold every answer against the published document')
  .option('--requests <n>', 'how many', wholeNumber, 10_000)
  .option(
    '--seed <n>',
    'decides them; by default others each time',
    wholeNumber,
    Math.floor(Math.random() * 1e9),
  )
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ readonly requests: number; readonly seed: number }>();

say(`seed ${seed}`);
const network = await startNetwork({ RATE_LIMITS: 'off' });
try {
  const { undeclared, failures, ...told } = await runFuzz(network, { requests, seed });
  const unforeseen = network
    .output()
    .split('\n')
    .filter((line) => line.includes('unforeseen failure'));
  for (const counts of [told.byStatus, told.byCaller])
    say(
      Object.entries(counts)
        .map(([name, count]) => `${name}: ${count}`)
        .join(', '),
    );
  for (const each of [...undeclared, ...failures, ...unforeseen].slice(0, EXAMPLES)) say(each);
  if (told.neverSucceeded.length > 0) say(`never carried out: ${told.neverSucceeded.join(', ')}`);
  say(
    `${told.requests} requests: ${undeclared.length} undeclared answers, ${failures.length} failures, ${unforeseen.length} unforeseen`,
  );
  process.exitCode = undeclared.length + failures.length + unforeseen.length > 0 ? 1 : 0;
} finally {
  await network.stop();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(value: string): number {
  if (/^[0-9]{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number.');
}
