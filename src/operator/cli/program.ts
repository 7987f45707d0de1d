import { Command } from 'commander';
import { addEventStore } from './commands/eventstore.js';
import { addStart } from './commands/start.js';

/** The operator's command line. Each command is a file of its own in commands/. */
export function commandLine(): Command {
  const program = new Command('plaza')
    .description('Runs the Plaza network and operates it.')
    .exitOverride()
    .showHelpAfterError('(plaza --help tells all)')
    .addHelpText('after', EXIT_CODES);
  addStart(program);
  addEventStore(program);
  return program;
}

const EXIT_CODES = `
Settings come from the environment: PORT, BASE_URL, OPERATOR_PORT, OPERATOR_HOST, OPERATOR_TOKEN, DATA_DIR and more.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings.`;
