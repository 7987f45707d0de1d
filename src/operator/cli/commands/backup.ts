import { resolve } from 'node:path';
import type { Command } from 'commander';
import { endWithParent } from '../../../launch/child.js';
import { backupParts } from '../../../backup/format/manifest.js';
import type { BackupPart } from '../../../backup/format/manifest.js';
import { operatorApi, withReason } from '../act.js';
import type { ActOptions } from '../act.js';
import { answer } from '../output.js';
import { partsOf } from '../parts.js';
import { inBytes, ProgressLine } from '../progress-line.js';

interface BackupOptions extends ActOptions {
  readonly parts: readonly BackupPart[];
}

/** `plaza backup DIR`: the network, copied while it runs. */
export function addBackup(program: Command): void {
  withReason(program.command('backup'))
    .description(
      'copy the running network into a directory that is new or empty: log, authority, vault, witness',
    )
    .argument(
      '<dir>',
      'where to; it will hold secrets: keep it, and above all its vault, where nobody else reads',
    )
    .option('--parts <names>', `some of ${backupParts.join(',')}`, partsOf(backupParts), backupParts)
    .action(async (dir: string, { parts, reason, ...options }: BackupOptions) => {
      endWithParent();
      const { takeBackup } = await import('../../../backup/take/take-backup.js');
      const progress = new ProgressLine(inBytes);
      const place = resolve(dir);
      const manifest = await takeBackup(operatorApi(options), {
        dir: place,
        parts,
        reason,
        onProgress: (step) => progress.show(step),
      });
      progress.done();
      const lines = manifest.parts.map(({ part, bytes }) => `${part}  ${inBytes(bytes)}`);
      answer(options, { dir: place, ...manifest }, [
        `backup ${manifest.backupId} of network ${manifest.networkId} is in ${place}`,
        ...lines,
        'The vault has the keys of all that people wrote: keep it apart from the log.',
      ]);
    });
}
