import { Command, Help } from 'commander';
import { plazaVersion } from '../../base/config/version.js';
import { terminal } from '../../base/terminal/terminal.js';
import { addAccountCommands } from '../../operator/people/commands/account.js';
import { addAnalyticsCommands } from '../../operator/analytics/commands/analytics.js';
import { addAppCommands } from '../../operator/people/commands/app.js';
import { addAsOfCommand } from '../../operator/as-of/commands/as-of.js';
import { addApprovalCommands } from '../../operator/operators/commands/approval.js';
import { addAuditCommand } from '../../operator/audit/commands/audit.js';
import { addBatchCommands } from '../../operator/people/commands/batch.js';
import { addBackupCommand } from '../../operator/network/commands/backup.js';
import { addCaseCommands } from '../../operator/cases/commands/case.js';
import { addDemoCommand } from './demo.js';
import { addDiscloseCommand } from '../../operator/audit/commands/disclose.js';
import { addEventStoreCommand } from './eventstore.js';
import { addExportCommands } from '../../operator/audit/commands/export.js';
import { addFourEyesCommands } from '../../operator/operators/commands/four-eyes.js';
import { addGrantCommands } from '../../operator/people/commands/grant.js';
import { addKeysCommands } from '../../operator/network/commands/keys.js';
import { addOperatorCommands } from '../../operator/operators/commands/operator.js';
import { addPostCommands } from '../../operator/people/commands/post.js';
import { addProjectionsCommands } from '../../operator/network/commands/projections.js';
import { addRecoveryCommands } from '../../operator/network/commands/recovery.js';
import { addPublishingCommands } from '../../operator/network/commands/publishing.js';
import { addRegistrationCommands } from '../../operator/network/commands/registration.js';
import { addRestoreCommand } from './restore.js';
import { addStartCommand } from './start.js';

export function commandLine(): Command {
  const program = new Command('plaza')
    .description('Runs the Plaza network and operates it.')
    .version(plazaVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal().stdout.write(text),
      writeErr: (text) => void terminal().stderr.write(text),
    })
    .showHelpAfterError('(plaza --help lists all commands)')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: fullName, formatHelp: helpOfLeaves })
    .addHelpText('after', HELP_FOOTER)
    .hook('preAction', (_program, command) => refuseEmptyArguments(command));
  for (const add of [
    addStartCommand,
    addDemoCommand,
    addAppCommands,
    addAccountCommands,
    addGrantCommands,
    addPostCommands,
    addBatchCommands,
    addCaseCommands,
    addOperatorCommands,
    addApprovalCommands,
    addFourEyesCommands,
    addKeysCommands,
    addPublishingCommands,
    addRegistrationCommands,
    addProjectionsCommands,
    addRecoveryCommands,
    addAuditCommand,
    addDiscloseCommand,
    addExportCommands,
    addAsOfCommand,
    addAnalyticsCommands,
    addBackupCommand,
    addRestoreCommand,
    addEventStoreCommand,
  ])
    add(program);
  for (const command of leafCommands(program))
    command.showHelpAfterError(`(plaza ${fullName(command)} --help shows its options)`);
  return program;
}

/** Lists the leaves alone. The suggestions for an unknown command still know the commands of each level. */
function helpOfLeaves(command: Command, help: Help): string {
  help.visibleCommands = leafCommands;
  return Help.prototype.formatHelp.call(help, command, help);
}

/** An unset variable of a shell: as a directory, it would be the present one. */
function refuseEmptyArguments(command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries())
    if (argument.required && command.args[at] === '')
      command.error(`error: the argument '${argument.name()}' is empty`, { exitCode: 2 });
}

/** Returns the commands that have an action: `app register`, not `app`. */
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
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings, 3 waits for the approval of another operator.`;
