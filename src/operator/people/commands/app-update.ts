import type { Command } from 'commander';
import { doneLine, REASON_HELP, withOperator } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { applicationUpdateActs } from '../application-update.acts.js';
import { scopesOption } from './scopes-option.js';

const perform = performing<typeof applicationUpdateActs>();

export function addUpdateCommand(app: Command): void {
  withOperator(app.command('update'))
    .description('change name, addresses or scopes of an application; its client id, secret and grants stay')
    .argument('<client-id>', 'client id of the application')
    .requiredOption('--reason <why>', REASON_HELP)
    .option('--name <name>', 'new name; people see the former one for 30 days')
    .option('--redirect-uri <uri...>', 'all addresses to return to after consent')
    .option('--post-logout-redirect-uri <uri...>', 'all addresses to return to after sign-out')
    .addOption(scopesOption('all scopes that it may request, separated by spaces'))
    .option('--end-grants', 'confirm that grants end which have a removed scope')
    .action(
      perform('POST /operator/applications/:id/update', (result, id) => [
        doneLine(`${id} is as asked`, result),
        ...(result.changed && result.endsGrants > 0
          ? [`grants that end, as they have a removed scope: ${result.endsGrants}`]
          : []),
      ]),
    );
}
