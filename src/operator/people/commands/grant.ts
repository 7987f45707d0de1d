import type { Command } from 'commander';
import { subjectIs, withReason } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { grantActs } from '../grant.acts.js';

const perform = performing<typeof grantActs>();

export function addGrantCommands(program: Command): void {
  const grant = program.command('grant').description('grants of people to applications: revoke one');
  withReason(grant.command('revoke'))
    .description(
      'revoke a grant, and with it all its tokens; app revoke-grants revokes all of an application',
    )
    .argument('<grant-id>', 'id of the grant')
    .action(perform('POST /operator/grants/:id/revoke', subjectIs('revoked')));
}
