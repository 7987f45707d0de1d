import { CommanderError } from 'commander';
import { ConfigError } from '../../base/config/config.js';
import { LaunchError } from '../../launch/launch-error.js';
import { AwaitsApproval } from '../../operator/client/awaits-approval.js';
import { Failure, WrongArgument } from '../../base/terminal/failure.js';
import { withIdentifiersLast } from './leading-hyphens.js';
import { plainText } from '../../base/support/plain-text.js';
import { commandLine } from './program.js';

// The reader of a pipe closes it early, as `head` does: the command ends as it would.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  console.error(
    `the answer cannot be written (${error.message}): the command may be done, look before you repeat it`,
  );
  process.exit(1);
});

try {
  await commandLine().parseAsync(withIdentifiersLast(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  process.exitCode = explain(error);
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof AwaitsApproval) {
    const answer = process.argv.includes('--json') ? JSON.stringify(error.request) : error.message;
    process.stdout.write(plainText(`${answer}\n`));
    return 3;
  }
  if (error instanceof ConfigError) {
    console.error(plainText(error.message));
    return 2;
  }
  const isExpected = error instanceof Failure || error instanceof LaunchError;
  console.error(isExpected ? plainText(error.message) : error);
  return error instanceof WrongArgument ? 2 : 1;
}
