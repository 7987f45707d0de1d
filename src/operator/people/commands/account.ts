import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  REASON_HELP,
  actsOf,
  lifecycleIs,
  lifecycleLine,
  operatorClientOf,
  withOperator,
  withReason,
  withRevision,
} from '../../client/command-options.js';
import type { CommandOptions, LifecycleOptions } from '../../client/command-options.js';
import type { recoveryLinkActs } from '../recovery-link.acts.js';
import { addAccountExportCommand } from './account-export.js';
import { recoveryLinkLines } from './recovery-link-lines.js';
import type { accountActs, Erased } from '../account.acts.js';
import { performing } from '../../client/perform.js';
import { MAX_BATCH_ACTORS } from '../../../domain/batch/batch.js';
import { requireReason, runBatch, withBatchOptions } from './batch-lines.js';
import type { BatchOptions } from './batch-lines.js';
import { Failure } from '../../../base/terminal/failure.js';
import { parseDuration } from '../../../base/terminal/duration.js';
import { printResult, timeText } from '../../../base/terminal/output.js';
import { pendingLines } from './pending-lines.js';
import { typedText } from '../../../base/terminal/typed-text.js';

interface CreateOptions extends CommandOptions {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
}

interface SuspendOptions extends LifecycleOptions, BatchOptions {
  readonly from?: string;
}

const accounts = actsOf<typeof accountActs>;
const perform = performing<typeof accountActs>();
const performLink = performing<typeof recoveryLinkActs>();

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('accounts: create, suspend, reinstate, recover, export and erase them');
  withReason(account.command('create'))
    .description('create an account')
    .requiredOption('--handle <handle>', 'name to sign in with')
    .requiredOption('--display-name <name>', 'name that other people read')
    .requiredOption('--email <address>', 'address to reach the person')
    .requiredOption('--password-stdin', 'read the password from standard input, never from the command line')
    .action(async ({ handle, displayName, email, reason, ...options }: CreateOptions) => {
      // The terminal or `echo` adds one line end to the password.
      const password = (await typedText('the password')).replace(/\r?\n$/, '');
      const account = { handle, displayName, email, password, reason };
      const created = await accounts(options).call('POST /operator/accounts', account);
      printResult(options, created, [`actor id  ${created.actorId}`]);
    });

  withBatchOptions(withRevision(withOperator(account.command('suspend'))))
    .description('suspend an account, effective on its next request; or all accounts of a list')
    .argument('[actor-id]', 'actor id of the account')
    .option('--from <file>', 'a file with one actor id a line; - reads standard input')
    .option('--reason <why>', REASON_HELP)
    .action(async (actorId: string | undefined, options: SuspendOptions, command: Command) => {
      const { from, revision } = options;
      if ((actorId === undefined) === (from === undefined))
        command.error('error: give either an actor id or --from FILE', { exitCode: 2 });
      if (from !== undefined) {
        const plan = { kind: 'accounts', actorIds: await idsIn(from) } as const;
        await runBatch(operatorClientOf(options), plan, options, command);
        return;
      }
      const [id, reason] = [actorId ?? '', requireReason(options.reason, command)];
      const result = await accounts(options).call('POST /operator/accounts/:id/suspend', {
        id,
        reason,
        revision,
      });
      printResult(options, result, [lifecycleLine(id, 'suspended', result)]);
    });

  withRevision(withOperator(account.command('reinstate')))
    .description('reinstate a suspended account')
    .argument('<actor-id>', 'actor id of the account')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(perform('POST /operator/accounts/:id/reinstate', lifecycleIs('active')));

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
    .action(perform('POST /operator/accounts/:id/erase', erasureLines));

  withOperator(account.command('recovery-link'))
    .description('make a link that sets a new password, from 24 hours later and for 24 hours')
    .argument('<actor-id>', 'actor id of the account')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(performLink('POST /operator/accounts/:id/recovery-link', recoveryLinkLines));

  withOperator(account.command('end-recovery-link'))
    .description('end the link that an operator made for an account')
    .argument('<actor-id>', 'actor id of the account')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(
      performLink('POST /operator/accounts/:id/end-recovery-link', ({ changed }, id) => [
        changed ? `the link for ${id} is ended` : `there is no link for ${id}; nothing changed`,
      ]),
    );

  addAccountExportCommand(account);

  withOperator(account.command('cancel-erasure'))
    .description('cancel a scheduled erasure')
    .argument('<actor-id>', 'actor id of the account')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(perform('POST /operator/accounts/:id/cancel-erasure', lifecycleIs('kept')));
}

function erasureLines(result: Erased, id: string): string[] {
  const { erasesAt } = result;
  const state = erasesAt === undefined ? 'erased' : `scheduled for erasure at ${timeText(erasesAt)}`;
  return [lifecycleLine(id, state, result), ...pendingLines(result)];
}

async function idsIn(file: string): Promise<readonly string[]> {
  const content =
    file === '-' ? await typedText('the list') : await readFile(file, 'utf8').catch(unreadable(file));
  const ids = [...new Set(content.split(/\s+/).filter((id) => id !== ''))];
  if (ids.length > MAX_BATCH_ACTORS)
    throw new Failure(
      `${file} names ${ids.length} accounts, and one batch takes at most ${MAX_BATCH_ACTORS}; nothing changed. Part the file, and run the command for each part`,
    );
  return ids;
}

const unreadable = (file: string) => (error: NodeJS.ErrnoException) => {
  throw new Failure(`${file} cannot be read: ${error.code ?? error.message}`);
};
