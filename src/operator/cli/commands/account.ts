import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { operatorApi, turnLine, WHY, withOperator, withReason, withRevision } from '../act.js';
import type { ActOptions, TurnOptions } from '../act.js';
import { answer } from '../output.js';

interface CreateOptions extends ActOptions {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
}

interface StateOptions extends TurnOptions {
  readonly reason: string;
}

/** `plaza account …`: the people of the network. */
export function addAccount(program: Command): void {
  const account = program.command('account').description('accounts: create, suspend and reinstate them');
  withReason(account.command('create'))
    .description('create an account')
    .requiredOption('--handle <handle>', 'the name people sign in with')
    .requiredOption('--display-name <name>', 'the name people read')
    .requiredOption('--email <address>', 'where to reach them')
    .requiredOption('--password-stdin', 'read the password from standard input, never from the command line')
    .action(async ({ handle, displayName, email, reason, ...options }: CreateOptions) => {
      // One line end is the terminal's or echo's, not the password's.
      const password = (await text(process.stdin)).replace(/\r?\n$/, '');
      const created = await operatorApi(options).createAccount(
        { handle, displayName, email, password },
        reason,
      );
      answer(options, created, [`actor id  ${created.actorId}`]);
    });

  for (const [act, done] of [
    ['suspend', 'suspended'],
    ['reinstate', 'active'],
  ] as const)
    withRevision(withOperator(account.command(act)))
      .description(descriptions[act])
      .argument('<actor-id>', 'whose account')
      .requiredOption('--reason <why>', WHY)
      .action(async (actorId: string, { reason, revision, ...options }: StateOptions) => {
        const result = await operatorApi(options).setAccountState(actorId, act, reason, revision);
        answer(options, result, [turnLine(actorId, done, result)]);
      });
}

const descriptions = {
  suspend: "take an account's authority away, from the next request on",
  reinstate: "give an account's authority back",
} as const;
