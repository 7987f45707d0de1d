import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import { backupParts, FORMAT, MANIFEST } from '../../recovery/backup/manifest.js';
import type { BackupManifest, BackupPart } from '../../recovery/backup/manifest.js';
import { Failure } from '../cli/failure.js';
import type { OperatorApi } from '../cli/operator-api.js';
import type { Step } from '../cli/progress.js';
import { OWNER_ONLY_DIRECTORY, settle, writeNew } from './files.js';
import { asText, unfinished, writePart } from './write-part.js';
import type { Common } from './write-part.js';

export interface BackupOptions {
  /** New, empty, or with what an interrupted backup left. */
  readonly dir: string;
  readonly parts: readonly BackupPart[];
  readonly reason: string | undefined;
  readonly onProgress: (step: Step) => void;
}

/** Copies a running network into a directory, part by part. `DIR/manifest.json` is there once all of it is. @throws {Failure} */
export async function takeBackup(
  api: OperatorApi,
  { dir, parts, reason, onProgress }: BackupOptions,
): Promise<BackupManifest> {
  await prepare(dir);
  const wanted = backupParts.filter((part) => parts.includes(part));
  const { backupId, networkId, at, position, version } = await api.beginBackup(wanted, reason);
  const takenAt = new Date(at).toISOString();
  const common: Common = { format: FORMAT, backupId, networkId, takenAt, version };
  const manifest = join(dir, MANIFEST);
  // From here on the directory is known to be a backup that is under way.
  await writeNew(unfinished(manifest), asText(common));
  const written: BackupManifest['parts'] = [];
  for (const part of wanted) {
    const stream = await api.backupPart(part, position);
    const progress = (done: number, total: number) => onProgress({ what: part, done, total });
    written.push(await writePart(dir, part, common, stream, progress));
  }
  const whole: BackupManifest = { ...common, parts: written };
  await rm(unfinished(manifest));
  await writeNew(unfinished(manifest), asText(whole));
  await settle(unfinished(manifest), manifest);
  return whole;
}

/** Makes the directory; clears what an interrupted backup left in it. @throws {Failure} there is something else. */
async function prepare(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
    const there = await readdir(dir);
    if (there.length === 0) return;
    if (existsSync(join(dir, MANIFEST)) || !there.includes(unfinished(MANIFEST))) throw notEmpty(dir);
    const ours = backupParts.flatMap((part) => [part, unfinished(part)]);
    if (there.some((name) => name !== unfinished(MANIFEST) && !ours.includes(name))) throw notEmpty(dir);
    for (const name of [...ours, unfinished(MANIFEST)])
      await rm(join(dir, name), { recursive: true, force: true });
    syncDirectory(dir);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${dir} cannot be used: ${(error as Error).message}`);
  }
}

function notEmpty(dir: string): Failure {
  return new Failure(`${dir} is not empty; name a directory that is new or empty`);
}
