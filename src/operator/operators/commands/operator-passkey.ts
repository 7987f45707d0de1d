import type { Command } from 'commander';
import { actsOf, doneLine, withOperator, withReason } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { CommandOptions } from '../../client/command-options.js';
import { printResult, timeText } from '../../../base/terminal/output.js';
import type { passkeyActs } from '../passkey.acts.js';

interface RemoveOptions extends CommandOptions {
  readonly of?: string;
}

const passkeys = actsOf<typeof passkeyActs>;
const perform = performing<typeof passkeyActs>();

export function addPasskeyCommands(operator: Command): void {
  const passkey = operator.command('passkey').description('passkeys for the console: add and remove them');

  withOperator(passkey.command('add'))
    .description('print a link that adds a passkey of yours, for the console; it works once, for ten minutes')
    .action(
      perform('POST /operator/own/passkey-links', ({ link, expiresAt }) => [
        `link  ${link}  (valid until ${timeText(expiresAt)})`,
      ]),
    );

  withReason(passkey.command('remove'))
    .description('remove a passkey, which ends the sessions that it began; operator list names them')
    .argument('<passkey-id>', 'id of the passkey')
    .option('--of <operator-id>', 'operator whose passkey it is (default: yourself)')
    .action(async (passkeyId: string, { of: id, reason, ...options }: RemoveOptions) => {
      const result = await (id === undefined
        ? passkeys(options).call('POST /operator/own/passkeys/:passkeyId/remove', { passkeyId, reason })
        : passkeys(options).call('POST /operator/operators/:id/passkeys/:passkeyId/remove', {
            id,
            passkeyId,
            reason: reason ?? '',
          }));
      printResult(options, result, [doneLine(`${passkeyId} is removed`, result)]);
    });

  withReason(operator.command('sign-out'))
    .description('end all your sessions in the console')
    .action(perform('POST /operator/own/sign-out', () => ['you are signed out everywhere']));
}
