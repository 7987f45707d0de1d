import type { Command } from 'commander';
import { withOperator, withReason } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { SigningKeyState } from '../../../commands/network/signing-keys.js';
import type { networkActs } from '../network.acts.js';
import { localMoment, timeText } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

const perform = performing<typeof networkActs>();

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('keys that sign ID tokens: list and rotate them');
  withOperator(keys.command('list'))
    .description('list the published keys: the signing one, the next one, and retired ones')
    .action(perform('GET /operator/signing-keys', tableOf));

  withReason(keys.command('rotate'))
    .description('publish a new key, which signs once every client can have fetched it')
    .action(
      perform('POST /operator/signing-keys/rotate', ({ kid, signsFrom, changed }) => {
        const line = `${kid} signs from ${timeText(signsFrom)} on`;
        return [changed ? line : `${line}: a rotation is under way; nothing changed`];
      }),
    );
}

const tableOf = (keys: readonly SigningKeyState[]): string[] =>
  tableLines(
    ['KEY', 'STATE', 'SIGNS FROM', 'PUBLISHED UNTIL'],
    keys.map(({ kid, state, signsFrom, publishedUntil }) => [
      kid,
      state,
      signsFrom === null ? 'first start' : localMoment(signsFrom),
      publishedUntil === null ? '' : localMoment(publishedUntil),
    ]),
  );
