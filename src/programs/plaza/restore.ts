import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../base/config/config.js';
import { endWithParent } from '../../launch/child.js';
import { restoreParts } from '../../recovery/backup/restore/restore-parts.js';
import type { RestorePart } from '../../recovery/backup/restore/restore-parts.js';
import type { restore as Restore } from '../../recovery/backup/restore/restore.js';
import { accountName, withReason } from '../../operator/client/command-options.js';
import type { CommandOptions } from '../../operator/client/command-options.js';
import { printResult } from '../../base/terminal/output.js';
import { partsParser } from '../../operator/network/commands/parts.js';
import { formatBytes, ProgressLine } from '../../base/terminal/progress-line.js';

interface RestoreOptions extends CommandOptions {
  readonly parts?: readonly RestorePart[];
}

export function addRestoreCommand(program: Command): void {
  withReason(program.command('restore'))
    .description(
      'replace the data of a stopped network by a backup; the replaced data is kept until the network is ready again',
    )
    .argument('<dir>', 'directory of the backup')
    .option(
      '--parts <names>',
      `parts to restore, of ${restoreParts.join(',')} (default: all)`,
      partsParser(restoreParts),
    )
    .addHelpText('after', HELP)
    .action(async (dir: string, { parts, reason, as, ...options }: RestoreOptions) => {
      endWithParent();
      // A lazy import: only this command needs it, and the others start faster without.
      const { restore } = await import('../../recovery/backup/restore/restore.js');
      const backup = resolve(dir);
      const progress = new ProgressLine(formatBytes);
      const restored = await restore(readConfig(), {
        dir: backup,
        parts,
        reason,
        operator: as ?? accountName(),
        account: accountName(),
        now: Date.now(),
        command: `plaza restore ${backup}${parts ? ` --parts ${parts.join(',')}` : ''}`,
        onProgress: (step) => progress.show(step),
      });
      progress.done();
      printResult(options, restored, linesOf(restored));
    });
}

const HELP = `
The part read is the read store: it is dropped, then rebuilt from the log. If the current witness has restrictions that
the backup lacks, the default keeps that witness, and naming the part witness is refused. A log older than the witness is
served only after plaza recovery apply.`;

function linesOf(restored: Awaited<ReturnType<typeof Restore>>): string[] {
  const { backupId, networkId, takenAt, parts, kept, keptLog, stillErased, witnessKept, witnessBrokenAt } =
    restored;
  return [
    `restored ${parts.join(', ')} of network ${networkId} from backup ${backupId}, taken at ${takenAt}`,
    `the replaced data is kept until the network is ready again: ${kept} lists the schemas${keptLog === null ? '' : `, the log is in ${keptLog}`}`,
    ...(witnessKept ? ['the current witness has restrictions that the backup lacks; it was kept'] : []),
    ...(stillErased > 0
      ? [`${stillErased} people were erased since the backup; their keys stay destroyed`]
      : []),
    ...(witnessBrokenAt === null ? [] : [`THE LEDGER OF THE WITNESS IS ALTERED at line ${witnessBrokenAt}`]),
    'Next: start the network, then run plaza recovery status, which lists missing restrictions.',
  ];
}
