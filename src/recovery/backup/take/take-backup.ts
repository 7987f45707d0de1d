import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireDirectory } from '../../../launch/data-dir.js';
import { syncDirectory } from '../../../launch/files.js';
import { makeDirectories } from '../../../launch/make-directories.js';
import { backupParts, BACKUP_FORMAT, MANIFEST_FILE } from '../format/manifest.js';
import type { BackupManifest, BackupPart } from '../format/manifest.js';
import { Failure } from '../../../base/terminal/failure.js';
import type { ProgressStep } from '../../../base/terminal/progress-line.js';
import { OWNER_ONLY_DIRECTORY, renameDurably, writeNewFile } from './durable-files.js';
import { manifestText, unfinishedPath, writePart } from './write-part.js';
import type { CommonManifest } from './write-part.js';

/** The running network, which records the begin of a backup and streams its parts. */
export interface BackupApi {
  beginBackup(
    parts: readonly BackupPart[],
    reason: string | undefined,
  ): Promise<Pick<CommonManifest, 'backupId' | 'networkId' | 'version'> & { at: number; position: string }>;
  /** `upTo`: position of the last event of the log to copy. */
  backupPart(backupId: string, part: BackupPart, upTo: string): Promise<AsyncIterable<Uint8Array>>;
}

export interface BackupOptions {
  readonly dir: string;
  readonly parts: readonly BackupPart[];
  readonly reason: string | undefined;
  readonly onProgress: (step: ProgressStep) => void;
}

/**
 * Takes a backup of a running network: copies its parts into a directory, one after the other. `DIR/manifest.json` is
 * written last.
 * @throws {Failure}
 */
export async function takeBackup(
  api: BackupApi,
  { dir, parts, reason, onProgress }: BackupOptions,
): Promise<BackupManifest> {
  const release = await lockDirectory(dir);
  try {
    return await copyParts(api, { dir, parts, reason, onProgress });
  } finally {
    await rm(join(dir, LOCK), { recursive: true, force: true });
    release();
  }
}

async function copyParts(
  api: BackupApi,
  { dir, parts, reason, onProgress }: BackupOptions,
): Promise<BackupManifest> {
  const wanted = backupParts.filter((part) => parts.includes(part));
  const { backupId, networkId, at, position, version } = await api.beginBackup(wanted, reason);
  const takenAt = new Date(at).toISOString();
  const common: CommonManifest = { format: BACKUP_FORMAT, backupId, networkId, takenAt, version };
  const manifest = join(dir, MANIFEST_FILE);
  await writeNewFile(unfinishedPath(manifest), manifestText(common));
  const written: BackupManifest['parts'] = [];
  for (const part of wanted) {
    const stream = await api.backupPart(backupId, part, position);
    const progress = (done: number, total: number) => onProgress({ what: part, done, total });
    written.push(await writePart(dir, part, common, stream, progress));
  }
  const complete: BackupManifest = { ...common, parts: written };
  await rm(unfinishedPath(manifest));
  await writeNewFile(unfinishedPath(manifest), manifestText(complete));
  await renameDurably(unfinishedPath(manifest), manifest);
  return complete;
}

/**
 * Directory that is locked while a backup is taken. The operating system ends the lock with its process: a directory
 * that an interrupted backup left behind blocks no later backup.
 */
const LOCK = 'lock.unfinished';

/**
 * Creates and locks the directory of a backup, and removes an unfinished backup from it. Returns the function that
 * releases the lock.
 * @throws {Failure} the directory has other content, or another backup is being written to it.
 */
async function lockDirectory(dir: string): Promise<() => void> {
  let release: (() => void) | undefined;
  try {
    makeDirectories(dir, OWNER_ONLY_DIRECTORY);
    refuseOtherContent(dir, await readdir(dir));
    await mkdir(join(dir, LOCK), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
    release = acquireDirectory(join(dir, LOCK));
    if (!release)
      throw new Failure(`another backup is being written to ${dir}; wait for it, or name another directory`);
    refuseOtherContent(dir, await readdir(dir));
    for (const name of [...partNames, unfinishedPath(MANIFEST_FILE)])
      await rm(join(dir, name), { recursive: true, force: true });
    syncDirectory(dir);
    return release;
  } catch (error) {
    release?.();
    if (error instanceof Failure) throw error;
    throw new Failure(`${dir} cannot be used: ${(error as Error).message}`);
  }
}

const partNames = backupParts.flatMap((part) => [part, unfinishedPath(part)]);

function refuseOtherContent(dir: string, names: readonly string[]): void {
  const known = new Set([...partNames, unfinishedPath(MANIFEST_FILE), LOCK]);
  const isComplete = names.includes(MANIFEST_FILE);
  const isUnfinished = names.includes(unfinishedPath(MANIFEST_FILE)) || names.every((name) => name === LOCK);
  if (isComplete || !isUnfinished || names.some((name) => !known.has(name))) throw notEmpty(dir);
}

function notEmpty(dir: string): Failure {
  return new Failure(`${dir} is not empty; name a directory that is new or empty`);
}
