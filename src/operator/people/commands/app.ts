import type { Command } from 'commander';
import type { ListedApplication } from '../../desk/applications.js';
import type { applicationActs } from '../application.acts.js';
import { addRestrictPostsCommand } from './app-restrict-posts.js';
import { addImpactCommand } from './app-impact.js';
import { addShowCommand } from './app-show.js';
import { addUpdateCommand } from './app-update.js';
import { scopesOption } from './scopes-option.js';
import { lifecycleIs, withOperator, withReason, withRevision } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import { parseDuration } from '../../../base/terminal/duration.js';
import { localMoment, timeText } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

const perform = performing<typeof applicationActs>();

export function addAppCommands(program: Command): void {
  const app = program
    .command('app')
    .description('applications: register, list, change, suspend and reinstate them');
  withReason(app.command('register'))
    .description('register an application; its secret is shown only once')
    .requiredOption('--name <name>', 'name on the consent page')
    .requiredOption('--redirect-uri <uri...>', 'addresses to return to after consent')
    .option('--post-logout-redirect-uri <uri...>', 'addresses to return to after sign-out')
    .addOption(scopesOption('scopes that it may request, separated by spaces').makeOptionMandatory())
    .action(
      perform('POST /operator/applications', ({ clientId, clientSecret }) => [
        `client id      ${clientId}`,
        `client secret  ${clientSecret}  (shown only now)`,
      ]),
    );

  withOperator(app.command('list'))
    .description('list every application: registration, state, scopes, number of usable grants')
    .action(perform('GET /operator/applications', tableOf));

  addShowCommand(app);
  addUpdateCommand(app);

  for (const [act, done] of [
    ['suspend', 'suspended'],
    ['reinstate', 'active'],
  ] as const)
    withRevision(withReason(app.command(act)))
      .description(descriptions[act])
      .argument('<client-id>', 'client id of the application')
      .action(perform(`POST /operator/applications/:id/${act}`, lifecycleIs(done)));

  withReason(app.command('rotate-secret'))
    .description('issue a new client secret, shown only once; old secrets stay valid for a while')
    .argument('<client-id>', 'client id of the application')
    .option(
      '--overlap <duration>',
      'time for which old secrets stay valid: 0, 90s, 15m, 24h, 7d',
      parseDuration,
      parseDuration('24h'),
    )
    .action(
      perform('POST /operator/applications/:id/rotate-secret', ({ clientSecret, previousUntil }) => [
        `client secret  ${clientSecret}  (shown only now)`,
        `old secrets    valid until ${timeText(previousUntil)}`,
      ]),
    );

  addImpactCommand(app);
  addRestrictPostsCommand(app);

  withReason(app.command('revoke-grants'))
    .description(
      'revoke every grant of an application and all its tokens; after a failure, repeat it for the rest',
    )
    .argument('<client-id>', 'client id of the application')
    .action(
      perform('POST /operator/applications/:id/revoke-grants', ({ revoked }) => [
        revoked === 0 ? 'no grant is live; nothing changed' : `grants revoked: ${revoked}`,
      ]),
    );
}

const descriptions = {
  suspend: 'suspend an application, effective on its next request',
  reinstate: 'reinstate a suspended application; grants that ended meanwhile stay ended',
} as const;

function tableOf(listed: readonly ListedApplication[]): string[] {
  if (listed.length === 0) return ['no application is registered'];
  return tableLines(
    ['CLIENT ID', 'STATE', 'GRANTS', 'REGISTERED', 'APPLICATION'],
    listed.map((each) => [
      each.clientId,
      each.state,
      String(each.grants),
      each.registeredAt === null ? 'unknown' : localMoment(each.registeredAt),
      [
        each.name,
        `may request ${each.scopes.join(' ')}`,
        ...each.redirectUris.map((uri) => `returns to ${uri}`),
        ...each.postLogoutRedirectUris.map((uri) => `returns after sign-out to ${uri}`),
      ],
    ]),
  );
}
