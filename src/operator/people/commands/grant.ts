import type { Command } from 'commander';
import { operatorClientOf, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { printResult } from '../../../base/terminal/output.js';

export function addGrantCommands(program: Command): void {
  const grant = program.command('grant').description('grants of people to applications: revoke one');
  withReason(grant.command('revoke'))
    .description(
      'revoke a grant, and with it all its tokens; app revoke-grants revokes all of an application',
    )
    .argument('<grant-id>', 'id of the grant')
    .action(async (grantId: string, { reason, ...options }: CommandOptions) => {
      const result = await operatorClientOf(options).revokeGrant(grantId, reason);
      const line = `${grantId} is revoked`;
      printResult(options, result, [result.changed ? line : `${line} already; nothing changed`]);
    });
}
