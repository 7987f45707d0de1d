import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../../config/config.js';
import { endWithParent } from '../../../launch/child.js';
import { restoreParts } from '../../../backup/restore/restore-parts.js';
import type { RestorePart } from '../../../backup/restore/restore-parts.js';
import type { restore as Restore } from '../../../backup/restore/restore.js';
import { accountName, withReason } from '../act.js';
import type { ActOptions } from '../act.js';
import { answer } from '../output.js';
import { partsOf } from '../parts.js';
import { inBytes, ProgressLine } from '../progress-line.js';

interface RestoreOptions extends ActOptions {
  readonly parts?: readonly RestorePart[];
}

/** `plaza restore DIR`: a network that does not run, from a backup. */
export function addRestore(program: Command): void {
  withReason(program.command('restore'))
    .description(
      'put a backup in the place of what a stopped network has, which is kept until it is ready again',
    )
    .argument('<dir>', 'the backup')
    .option('--parts <names>', `some of ${restoreParts.join(',')} (default: all)`, partsOf(restoreParts))
    .addHelpText('after', HELP)
    .action(async (dir: string, { parts, reason, as, ...options }: RestoreOptions) => {
      endWithParent();
      // Every other command is there sooner without what this one needs.
      const { restore } = await import('../../../backup/restore/restore.js');
      const place = resolve(dir);
      const progress = new ProgressLine(inBytes);
      const restored = await restore(readConfig(), {
        dir: place,
        parts,
        reason,
        operator: as ?? accountName(),
        now: Date.now(),
        command: `plaza restore ${place}${parts ? ` --parts ${parts.join(',')}` : ''}`,
        onProgress: (step) => progress.show(step),
      });
      progress.done();
      answer(options, restored, linesOf(restored));
    });
}

const HELP = `
read is the read store: it is dropped, and built anew from the log. A witness that knows of restrictions which the backup
lacks is kept unless it is named, and refused if it is. A log that is older than the witness is served only after
plaza recovery apply.`;

function linesOf(restored: Awaited<ReturnType<typeof Restore>>): string[] {
  const { backupId, networkId, takenAt, parts, kept, keptLog, stillErased, witnessKept, witnessBrokenAt } =
    restored;
  return [
    `restored ${parts.join(', ')} of network ${networkId} from backup ${backupId}, taken at ${takenAt}`,
    `the replaced data is kept until the network is ready again: ${kept} names the schemas${keptLog === null ? '' : `, the log is in ${keptLog}`}`,
    ...(witnessKept ? ['the witness here knows more than the backup, and was kept'] : []),
    ...(stillErased > 0
      ? [`${stillErased} people were erased since the backup; their keys stay destroyed`]
      : []),
    ...(witnessBrokenAt === null
      ? []
      : [`THE LEDGER OF THE WITNESS IS NOT WHOLE: line ${witnessBrokenAt} was altered`]),
    'Start the network; plaza recovery status tells whether something has to be re-applied.',
  ];
}
