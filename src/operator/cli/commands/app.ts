import { Option } from 'commander';
import type { Command } from 'commander';
import { operatorApi, withReason } from '../act.js';
import type { ActOptions } from '../act.js';
import { answer } from '../output.js';

interface RegisterOptions extends ActOptions {
  readonly name: string;
  readonly redirectUri: string[];
  readonly scope: string[];
}

/** `plaza app …`: the applications through which people reach the network. */
export function addApp(program: Command): void {
  const app = program.command('app').description('applications: register them');
  withReason(app.command('register'))
    .description('register an application; its secret is shown this once')
    .requiredOption('--name <name>', 'what people read on the consent page')
    .requiredOption('--redirect-uri <uri...>', 'where people come back to after consent')
    .addOption(
      new Option('--scope <scopes>', 'what it may ask for, separated by spaces')
        .argParser((scopes) => scopes.split(/\s+/).filter(Boolean))
        .makeOptionMandatory(),
    )
    .action(async ({ name, redirectUri, scope, reason, ...options }: RegisterOptions) => {
      const application = { name, redirectUris: redirectUri, scopes: scope };
      const registered = await operatorApi(options).registerApplication(application, reason);
      const { clientId, clientSecret } = registered;
      answer(options, registered, [
        `client id      ${clientId}`,
        `client secret  ${clientSecret}  (shown only now)`,
      ]);
    });
}
