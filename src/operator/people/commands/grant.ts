import type { Command } from 'commander';
import { actsOf, doneLine, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import type { grantActs } from '../grant.acts.js';
import { printResult } from '../../../base/terminal/output.js';

export function addGrantCommands(program: Command): void {
  const grant = program.command('grant').description('grants of people to applications: revoke one');
  withReason(grant.command('revoke'))
    .description(
      'revoke a grant, and with it all its tokens; app revoke-grants revokes all of an application',
    )
    .argument('<grant-id>', 'id of the grant')
    .action(async (id: string, { reason, ...options }: CommandOptions) => {
      const grants = actsOf<typeof grantActs>(options);
      const result = await grants.call('POST /operator/grants/:id/revoke', { id, reason });
      printResult(options, result, [doneLine(`${id} is revoked`, result)]);
    });
}
