import { Command } from 'commander';
import { plazaVersion } from '../../config/version.js';
import { addAccount } from './commands/account.js';
import { addApp } from './commands/app.js';
import { addAudit } from './commands/audit.js';
import { addBackup } from './commands/backup.js';
import { addDemo } from './commands/demo.js';
import { addEventStore } from './commands/eventstore.js';
import { addKeys } from './commands/keys.js';
import { addPost } from './commands/post.js';
import { addProjections } from './commands/projections.js';
import { addRecovery } from './commands/recovery.js';
import { addPublishing } from './commands/publishing.js';
import { addRestore } from './commands/restore.js';
import { addStart } from './commands/start.js';

/** The operator's command line. Each command is in a file of its own in commands/. */
export function commandLine(): Command {
  const program = new Command('plaza')
    .description('Runs the Plaza network and operates it.')
    .version(plazaVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(plaza --help tells all)')
    .helpCommand(false)
    .configureHelp({ visibleCommands: leavesOf, subcommandTerm: wholeName })
    .addHelpText('after', CLOSING_WORDS);
  for (const add of [
    addStart,
    addDemo,
    addApp,
    addAccount,
    addPost,
    addKeys,
    addPublishing,
    addProjections,
    addRecovery,
    addAudit,
    addBackup,
    addRestore,
    addEventStore,
  ])
    add(program);
  return program;
}

/** The commands that do something: `app register`, not `app`. */
function leavesOf(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leavesOf(child) : [child]));
}

function wholeName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${wholeName(parent)} ${command.name()}` : command.name();
}

const CLOSING_WORDS = `
plaza COMMAND --help shows the options of a command. Every command answers with JSON under --json.
Settings come from the environment: PORT, BASE_URL, OPERATOR_PORT, OPERATOR_HOST, OPERATOR_TOKEN, DATA_DIR and more.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings.`;
