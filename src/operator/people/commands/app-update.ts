import type { Command } from 'commander';
import { REASON_HELP, withOperator } from '../../client/command-options.js';
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
        result.changed
          ? `${id} has ${result.fields.map((field) => said[field] ?? field).join(', ')} now${endsText(result.endsGrants)}`
          : `${id} is as asked already; nothing changed`,
      ]),
    );
}

const said: Readonly<Record<string, string>> = {
  name: 'a new name',
  redirectUris: 'new redirect addresses',
  postLogoutRedirectUris: 'new addresses after sign-out',
  scopes: 'other scopes',
};

const endsText = (grants: number): string =>
  grants === 0 ? '' : `; grants that end, as they have a removed scope: ${grants}`;
