import type { Command } from 'commander';
import { readExport } from '../../audit/commands/export-stream.js';
import { actsOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { isOnTerminal } from '../../../base/terminal/output.js';
import { terminal } from '../../../base/terminal/terminal.js';
import type { accountExportActs } from '../account-export.acts.js';
import { requireReason } from './batch-lines.js';

interface ExportOptions extends CommandOptions {
  readonly begun?: string;
}

export function addAccountExportCommand(account: Command): void {
  withOperator(account.command('export'))
    .description('write what the network has of a person who cannot sign in to standard output, signed')
    .argument('<actor-id>', 'actor id of the account')
    .option('--reason <why>', REASON_HELP)
    .option('--begun <export-id>', 'send an export that you began, or whose approval you executed')
    .action(async (id: string, options: ExportOptions, command: Command) => {
      if (isOnTerminal())
        command.error('error: write it into a file that nobody else reads: plaza account export … > FILE', {
          exitCode: 2,
        });
      const api = actsOf<typeof accountExportActs>(options);
      const exportId = options.begun ?? (await begin(id));
      const { note } = await readExport(
        await api.stream('GET /operator/accounts/:id/exports/:exportId', { id, exportId }),
        write,
      );
      await write(Buffer.from(`${JSON.stringify({ note })}\n`));

      async function begin(actorId: string): Promise<string> {
        const reason = requireReason(options.reason, command);
        return (await api.call('POST /operator/accounts/:id/exports', { id: actorId, reason })).exportId;
      }
    });
}

/** Waits for a slow reader. */
const write = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    terminal().stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
