import type { Command } from 'commander';
import { withOperator } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import { localMoment } from '../../../base/terminal/output.js';
import { changedValues } from '../application-changes.js';
import type { dossierActs } from '../dossier.acts.js';

const perform = performing<typeof dossierActs>();

export function addShowCommand(app: Command): void {
  withOperator(app.command('show'))
    .description('show an application, and its changes with former and new values')
    .argument('<client-id>', 'client id of the application')
    .action(
      perform('GET /operator/applications/:id', (about, id, _given, { named }) => [
        `${id} is ${about.state}, with ${about.grants} usable grants`,
        `name                   ${about.name}`,
        `scopes                 ${about.scopes.join(' ')}`,
        ...about.redirectUris.map((uri) => `redirect address       ${uri}`),
        ...about.postLogoutRedirectUris.map((uri) => `address after sign-out ${uri}`),
        ...about.changes.flatMap((change) => [
          '',
          `changed ${localMoment(change.at)} by ${change.operatorId === null ? (change.operator ?? 'unknown') : named('operators', change.operatorId)}${change.reason === null ? '' : `: ${change.reason}`}`,
          ...(change.name === null ? [] : [`  name ${change.name.before} → ${change.name.after}`]),
          ...changedValues(change).map(({ what, value }) => `  ${what} ${value}`),
        ]),
      ]),
    );
}
