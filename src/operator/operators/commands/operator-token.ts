import type { Command } from 'commander';
import { actsOf, doneLine, withReason } from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import { parseDuration } from '../../../base/terminal/duration.js';
import { printResult, timeText } from '../../../base/terminal/output.js';
import type { IssuedToken, operatorActs } from '../operator.acts.js';

export interface TokenOptions extends OperatorOptions {
  readonly label?: string;
  readonly expires?: number;
}

interface RevokeOptions extends CommandOptions {
  readonly of?: string;
}

export function withTokenWish(command: Command): Command {
  return command
    .option('--label <name>', 'your name for the token, such as the machine it is for')
    .option('--expires <time>', 'time until it expires: 15m, 24h, 7d (default: 90d)', parseDuration);
}

export function tokenLines({ tokenId, token, expiresAt }: IssuedToken): string[] {
  return [
    `token id     ${tokenId}`,
    `token        ${token}  (shown only now, valid until ${timeText(expiresAt)})`,
    'Set OPERATOR_TOKEN to it for every other command.',
  ];
}

const operators = actsOf<typeof operatorActs>;
const perform = performing<typeof operatorActs>();

export function addOperatorTokenCommands(operator: Command): void {
  const token = operator.command('token').description('personal tokens: issue and revoke them');

  withTokenWish(withReason(token.command('issue')))
    .description('issue another personal token for yourself; it is shown only once')
    .action(perform('POST /operator/own/tokens', tokenLines));

  withReason(token.command('revoke'))
    .description('revoke a personal token, effective on its next use; operator list names them')
    .argument('<token-id>', 'id of the token')
    .option('--of <operator-id>', 'operator whose token it is (default: yourself)')
    .action(async (tokenId: string, { of: id, reason, ...options }: RevokeOptions) => {
      const result = await (id === undefined
        ? operators(options).call('POST /operator/own/tokens/:tokenId/revoke', { tokenId, reason })
        : operators(options).call('POST /operator/operators/:id/tokens/:tokenId/revoke', {
            id,
            tokenId,
            reason: reason ?? '',
          }));
      printResult(options, result, [doneLine(`${tokenId} is revoked`, result)]);
    });
}
