import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import {
  operatorClientOf,
  lifecycleLine,
  REASON_HELP,
  withOperator,
  withReason,
  withRevision,
} from '../command-options.js';
import type { CommandOptions, LifecycleOptions } from '../command-options.js';
import { parseDuration } from '../duration.js';
import { printResult, timeText } from '../output.js';

interface CreateOptions extends CommandOptions {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
}

interface StateOptions extends LifecycleOptions {
  readonly reason: string;
}

interface EraseOptions extends StateOptions {
  readonly delay: number;
}

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('accounts: create, suspend, reinstate and erase them');
  withReason(account.command('create'))
    .description('create an account')
    .requiredOption('--handle <handle>', 'name to sign in with')
    .requiredOption('--display-name <name>', 'name that other people read')
    .requiredOption('--email <address>', 'address to reach the person')
    .requiredOption('--password-stdin', 'read the password from standard input, never from the command line')
    .action(async ({ handle, displayName, email, reason, ...options }: CreateOptions) => {
      // The terminal or `echo` adds one line end to the password.
      const password = (await text(process.stdin)).replace(/\r?\n$/, '');
      const created = await operatorClientOf(options).createAccount(
        { handle, displayName, email, password },
        reason,
      );
      printResult(options, created, [`actor id  ${created.actorId}`]);
    });

  for (const [act, done] of [
    ['suspend', 'suspended'],
    ['reinstate', 'active'],
  ] as const)
    withRevision(withOperator(account.command(act)))
      .description(descriptions[act])
      .argument('<actor-id>', 'actor id of the account')
      .requiredOption('--reason <why>', REASON_HELP)
      .action(async (actorId: string, { reason, revision, ...options }: StateOptions) => {
        const result = await operatorClientOf(options).setAccountState(actorId, act, reason, revision);
        printResult(options, result, [lifecycleLine(actorId, done, result)]);
      });

  withRevision(withOperator(account.command('erase')))
    .description(
      'erase a person for good: their texts become unreadable in every copy of the log (also destroy old backups of the vault)',
    )
    .argument('<actor-id>', 'actor id of the account')
    .requiredOption('--reason <why>', REASON_HELP)
    .option(
      '--delay <time>',
      'time in which the erasure can be cancelled: 0, 90s, 15m, 24h, 7d',
      parseDuration,
      0,
    )
    .action(async (actorId: string, { reason, revision, delay, ...options }: EraseOptions) => {
      const result = await operatorClientOf(options).eraseAccount(actorId, delay, reason, revision);
      const { erasesAt } = result;
      const state = erasesAt === undefined ? 'erased' : `scheduled for erasure at ${timeText(erasesAt)}`;
      printResult(options, result, [lifecycleLine(actorId, state, result)]);
    });

  withOperator(account.command('cancel-erasure'))
    .description('cancel a scheduled erasure')
    .argument('<actor-id>', 'actor id of the account')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(async (actorId: string, { reason, ...options }: StateOptions) => {
      const result = await operatorClientOf(options).cancelErasure(actorId, reason);
      printResult(options, result, [lifecycleLine(actorId, 'kept', result)]);
    });
}

const descriptions = {
  suspend: 'suspend an account, effective on its next request',
  reinstate: 'reinstate a suspended account',
} as const;
