import { CommanderError } from 'commander';
import { ConfigError } from '../../config/config.js';
import { LaunchError } from '../../launch/launch-error.js';
import { Failure } from './failure.js';
import { withIdentifiersLast } from './leading-hyphens.js';
import { plainText } from './plain-text.js';
import { commandLine } from './program.js';

/** Runs one command and says in the exit code how it went; see "Exit codes" in the help. */
try {
  await commandLine().parseAsync(withIdentifiersLast(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  process.exitCode = explain(error);
}

function explain(error: unknown): number {
  // Commander has already written what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigError) {
    console.error(plainText(error.message));
    return 2;
  }
  const isForeseen = error instanceof Failure || error instanceof LaunchError;
  console.error(isForeseen ? plainText(error.message) : error);
  return 1;
}
