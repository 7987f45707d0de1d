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

export function commandLine(): Command {
  const program = new Command('plaza')
    .description('Runs the Plaza network and operates it.')
    .version(plazaVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(plaza --help lists all commands)')
    .helpCommand(false)
    .configureHelp({ visibleCommands: leafCommands, subcommandTerm: fullName })
    .addHelpText('after', HELP_FOOTER);
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

/** Commands with an action: `app register`, not `app`. */
function leafCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leafCommands(child) : [child]));
}

function fullName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${fullName(parent)} ${command.name()}` : command.name();
}

const HELP_FOOTER = `
plaza COMMAND --help shows the options of a command. With --json, every command prints JSON.
Lists are tables with local times on a terminal, and one JSON object a line elsewhere or with --json.
Settings come from the environment: PORT, BASE_URL, OPERATOR_PORT, OPERATOR_HOST, OPERATOR_TOKEN, DATA_DIR and more.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings.`;
