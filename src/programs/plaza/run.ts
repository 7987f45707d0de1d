import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { ConfigError } from '../../base/config/config.js';
import { LaunchError } from '../../launch/launch-error.js';
import { AwaitsApproval } from '../../operator/client/awaits-approval.js';
import { Failure, WrongArgument } from '../../base/terminal/failure.js';
import { terminal } from '../../base/terminal/terminal.js';
import { withIdentifiersLast } from './leading-hyphens.js';
import { plainText } from '../../base/support/plain-text.js';
import { commandLine } from './program.js';

/** Runs one command on the {@link terminal}. Resolves with the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await commandLine().parseAsync(withIdentifiersLast(args), { from: 'user' });
    return 0;
  } catch (error) {
    return explain(error, args.includes('--json'));
  }
}

function explain(error: unknown, isJson: boolean): number {
  const { stdout, stderr } = terminal();
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof AwaitsApproval) {
    stdout.write(plainText(`${isJson ? JSON.stringify(error.request) : error.message}\n`));
    return 3;
  }
  if (error instanceof ConfigError) {
    stderr.write(`${plainText(error.message)}\n`);
    return 2;
  }
  const isExpected = error instanceof Failure || error instanceof LaunchError;
  stderr.write(`${isExpected ? plainText(error.message) : inspect(error)}\n`);
  return error instanceof WrongArgument ? 2 : 1;
}
