import { randomBytes } from 'node:crypto';
import type { Config } from '../../../base/config/config.js';
import { createLogger } from '../../../base/config/logger.js';
import { withSettings } from '../../../base/config/settings.js';
import { acquireDataDir } from '../../../launch/data-dir.js';
import { stopOrphanedProcesses } from '../../../launch/orphaned-processes.js';
import { refuseUncoveredParts } from './restore-state.js';
import { backupParts } from '../format/manifest.js';
import type { BackupManifest, BackupPart } from '../format/manifest.js';
import { RestoreRefusedError } from './restore-tables.js';
import { Failure } from '../../../base/terminal/failure.js';
import type { ProgressStep } from '../../../base/terminal/progress-line.js';
import { checkBackup, readManifest } from './checked-backup.js';
import { restoreParts } from './restore-parts.js';
import type { RestorePart } from './restore-parts.js';
import { Replacement } from './replacement.js';
import type { ReplacementResult, RestoreRequest } from './replacement.js';
import { LogReplacement } from './restore-log.js';
import { openStoppedDatabases } from './stopped-stores.js';

export interface RestoreOptions extends RestoreRequest {
  readonly dir: string;
  /**
   * Parts to restore. Undefined: all; but the current witness stays if it knows restrictions that the backup lacks.
   */
  readonly parts: readonly RestorePart[] | undefined;
  readonly onProgress: (step: ProgressStep) => void;
}

export interface RestoreResult extends ReplacementResult {
  readonly backupId: string;
  readonly networkId: string;
  readonly takenAt: string;
}

/**
 * Restores parts of a backup into a stopped network. All parts are verified, and all reasons for a refusal are
 * checked, before the first change. After an interruption, the next start refuses and names the command to run again.
 * @throws {Failure} {@link LaunchError}
 */
export async function restore(config: Config, options: RestoreOptions): Promise<RestoreResult> {
  const { dir, parts = restoreParts, onProgress } = options;
  const isLogHere = config.eventStoreUrl === undefined;
  if (parts.includes('log') && !isLogHere)
    throw new Failure(
      'EVENTSTORE_URL: the log is on a server of its own; restore it by the means of that server, then the others: --parts read,authority,vault,witness',
    );
  const dataDir = acquireDataDir(config.dataDir);
  const stamp = stampOf(options.now);
  let log: LogReplacement | undefined;
  try {
    refuseUncoveredParts(dataDir.path, parts);
    await stopOrphanedProcesses(dataDir.path, createLogger({ logLevel: 'warn' }, 'restore'));
    if (parts.includes('log')) log = LogReplacement.open(dataDir.path, stamp);
    const wanted = backupParts.filter((part) => parts.includes(part));
    const { backupId, networkId, takenAt, ...manifest } = await readManifest(dir);
    const total = bytesOf(manifest, wanted);
    const backup = await checkBackup(dir, wanted, byteCounter('checking', total, onProgress));
    const stores = await openStoppedDatabases(withSettings(config, { dataDir: dataDir.path }));
    try {
      const onBytes = byteCounter('restoring', total, onProgress);
      const replaced = await new Replacement({
        ...options,
        parts,
        dataDir: dataDir.path,
        stores,
        backup,
        log,
        isLogHere,
        stamp,
        onBytes,
      }).run(options.parts === undefined ? 'optional' : 'required');
      return { backupId, networkId, takenAt, ...replaced };
    } catch (error) {
      throw error instanceof RestoreRefusedError ? new Failure(error.message) : error;
    } finally {
      await stores.close();
    }
  } finally {
    log?.close();
    dataDir.release();
  }
}

function stampOf(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return `${time}${randomBytes(3).toString('hex')}`;
}

const bytesOf = ({ parts }: Pick<BackupManifest, 'parts'>, wanted: readonly BackupPart[]) =>
  parts.filter(({ part }) => wanted.includes(part)).reduce((sum, { bytes }) => sum + bytes, 0);

function byteCounter(
  what: string,
  total: number,
  onProgress: RestoreOptions['onProgress'],
): (bytes: number) => void {
  let done = 0;
  return (bytes) => onProgress({ what, done: (done += bytes), total });
}
