import { resolve } from 'node:path';
import type { Command } from 'commander';
import { actsOf, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import type { exportActs } from '../export.acts.js';
import { writeExport } from './export-directory.js';
import { printResult } from '../../../base/terminal/output.js';
import { searchOf, withFilters } from './audit.js';
import type { Filters } from './audit.js';

export function addExportCommands(program: Command): void {
  const commands = program.command('export').description('take signed data away');
  withFilters(withReason(commands.command('audit')))
    .description(
      'write the recorded events that meet all conditions into a new or empty directory, signed: docs/audit.md says how to verify it',
    )
    .argument('<dir>', 'target directory; it will say who did what: let nobody else read it')
    .argument('[search...]', 'terms that must all hold, as in plaza audit')
    .action(async (dir: string, terms: string[], options: CommandOptions & Filters, command: Command) => {
      const q = searchOf(terms, options, command);
      const target = resolve(dir);
      const { exportId, entries, upTo } = await writeExport(target, () =>
        actsOf<typeof exportActs>(options).stream('GET /operator/audit/export', {
          q,
          reason: options.reason,
        }),
      );
      printResult(options, { dir: target, exportId, entries, upTo }, [
        `export ${exportId} with ${entries.count} ${entries.count === 1 ? 'entry' : 'entries'} is in ${target}`,
        'Verify it with the key of the network, kept elsewhere: python3 docs/verify_log.py export DIR @KEYFILE',
      ]);
    });
}
