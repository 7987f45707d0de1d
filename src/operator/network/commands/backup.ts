import { resolve } from 'node:path';
import type { Command } from 'commander';
import { endWithParent } from '../../../launch/child.js';
import { backupParts } from '../../../recovery/backup/format/manifest.js';
import type { BackupPart } from '../../../recovery/backup/format/manifest.js';
import type { BackupApi } from '../../../recovery/backup/take/take-backup.js';
import { actsOf, withReason } from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { printResult, isOnTerminal } from '../../../base/terminal/output.js';
import type { backupActs } from '../backup.acts.js';
import { partsParser } from './parts.js';
import { formatBytes, ProgressLine } from '../../../base/terminal/progress-line.js';
import { tableLines } from '../../../base/terminal/table.js';

interface BackupOptions extends CommandOptions {
  readonly parts: readonly BackupPart[];
}

export function addBackupCommand(program: Command): void {
  withReason(program.command('backup'))
    .description('copy the running network into a new or empty directory: log, authority, vault, witness')
    .argument('<dir>', 'target directory; it will hold secrets, above all in vault: let nobody else read it')
    .option(
      '--parts <names>',
      `parts to copy, of ${backupParts.join(',')}`,
      partsParser(backupParts),
      backupParts,
    )
    .action(async (dir: string, { parts, reason, ...options }: BackupOptions) => {
      endWithParent();
      const { takeBackup } = await import('../../../recovery/backup/take/take-backup.js');
      const progress = new ProgressLine(formatBytes);
      const target = resolve(dir);
      const manifest = await takeBackup(backupApi(options), {
        dir: target,
        parts,
        reason,
        onProgress: (step) => progress.show(step),
      });
      progress.done();
      const sizes = manifest.parts.map(({ part, bytes }) => [part, formatBytes(bytes)]);
      printResult(options, { dir: target, ...manifest }, [
        `backup ${manifest.backupId} of network ${manifest.networkId} is in ${target}`,
        ...(isOnTerminal() ? tableLines(['PART', 'SIZE'], sizes) : sizes.map((size) => size.join('  '))),
        'The vault has the keys of all personal texts: keep it apart from the log.',
      ]);
    });
}

function backupApi(options: OperatorOptions): BackupApi {
  const backups = actsOf<typeof backupActs>(options);
  return {
    beginBackup: (parts, reason) => backups.call('POST /operator/backups', { parts, reason }),
    backupPart: (backupId, part, upTo) =>
      part === 'log'
        ? backups.stream('GET /operator/backups/log', { backupId, upTo })
        : backups.stream('GET /operator/backups/:part', { part, backupId }),
  };
}
