import { Option } from 'commander';
import type { Command } from 'commander';
import { operatorApi, turnLine, withOperator, withReason, withRevision } from '../act.js';
import type { ActOptions, OperatorOptions, TurnOptions } from '../act.js';
import { duration } from '../duration.js';
import type { OperatorClient } from '../operator-client.js';
import { answer, moment } from '../output.js';

interface RegisterOptions extends ActOptions {
  readonly name: string;
  readonly redirectUri: string[];
  readonly postLogoutRedirectUri?: string[];
  readonly scope: string[];
}

interface RotateOptions extends ActOptions {
  readonly overlap: number;
}

const DEFAULT_OVERLAP = '24h';

/** `plaza app …`: the applications through which people reach the network. */
export function addApp(program: Command): void {
  const app = program
    .command('app')
    .description('applications: register them, see them, take their authority');
  withReason(app.command('register'))
    .description('register an application; its secret is shown this once')
    .requiredOption('--name <name>', 'what people read on the consent page')
    .requiredOption('--redirect-uri <uri...>', 'where people come back to after consent')
    .option('--post-logout-redirect-uri <uri...>', 'where people come back to after they signed out')
    .addOption(
      new Option('--scope <scopes>', 'what it may ask for, separated by spaces')
        .argParser((scopes) => scopes.split(/\s+/).filter(Boolean))
        .makeOptionMandatory(),
    )
    .action(async (given: RegisterOptions) => {
      const { name, redirectUri, postLogoutRedirectUri, scope, reason, ...options } = given;
      const application = {
        name,
        redirectUris: redirectUri,
        postLogoutRedirectUris: postLogoutRedirectUri,
        scopes: scope,
      };
      const registered = await operatorApi(options).registerApplication(application, reason);
      const { clientId, clientSecret } = registered;
      answer(options, registered, [
        `client id      ${clientId}`,
        `client secret  ${clientSecret}  (shown only now)`,
      ]);
    });

  withOperator(app.command('list'))
    .description('every application: since when, its state, what it may ask for, how many grants can be used')
    .action(async (options: OperatorOptions) => {
      const listed = await operatorApi(options).applications();
      answer(options, listed, listed.length === 0 ? ['no application is registered'] : listed.map(lineOf));
    });

  for (const [act, done] of [
    ['suspend', 'suspended'],
    ['reinstate', 'active'],
  ] as const)
    withRevision(withReason(app.command(act)))
      .description(descriptions[act])
      .argument('<client-id>', 'which application')
      .action(async (clientId: string, { reason, revision, ...options }: TurnOptions) => {
        const result = await operatorApi(options).setApplicationState(clientId, act, reason, revision);
        answer(options, result, [turnLine(clientId, done, result)]);
      });

  withReason(app.command('rotate-secret'))
    .description('give an application a new secret, shown this once; the old ones go on for a while')
    .argument('<client-id>', 'which application')
    .option(
      '--overlap <duration>',
      `how long the old ones are good: 0, 90s, 15m, 24h, 7d`,
      duration,
      duration(DEFAULT_OVERLAP),
    )
    .action(async (clientId: string, { overlap, reason, ...options }: RotateOptions) => {
      const rotated = await operatorApi(options).rotateSecret(clientId, overlap, reason);
      answer(options, rotated, [
        `client secret  ${rotated.clientSecret}  (shown only now)`,
        `old secrets    good until ${moment(rotated.previousUntil)}`,
      ]);
    });

  withReason(app.command('revoke-grants'))
    .description(
      'end every grant that people gave an application, with all tokens under it; repeated after a failure, the rest',
    )
    .argument('<client-id>', 'which application')
    .action(async (clientId: string, { reason, ...options }: ActOptions) => {
      const result = await operatorApi(options).revokeGrants(clientId, reason);
      answer(options, result, [
        result.revoked === 0 ? 'no grant is live; nothing changed' : `grants revoked: ${result.revoked}`,
      ]);
    });
}

const descriptions = {
  suspend: "take an application's authority away, from its next request on",
  reinstate: "give an application's authority back, with the grants that did not end meanwhile",
} as const;

type Listed = Awaited<ReturnType<OperatorClient['applications']>>[number];

function lineOf(listed: Listed): string {
  const { clientId, name, state, scopes, redirectUris, postLogoutRedirectUris, registeredAt, grants } =
    listed;
  const since = registeredAt === null ? 'at an unknown time' : moment(registeredAt);
  return [
    `${clientId}  ${name}${state === 'active' ? '' : `  (${state})`}`,
    `  registered ${since}, usable grants: ${grants}`,
    `  may ask for ${scopes.join(' ')}`,
    ...redirectUris.map((uri) => `  comes back to ${uri}`),
    ...postLogoutRedirectUris.map((uri) => `  comes back after signing out to ${uri}`),
  ].join('\n');
}
