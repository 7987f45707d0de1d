import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { backupManifest, MANIFEST_FILE, partManifest } from '../format/manifest.js';
import type { BackupFile, BackupManifest, BackupPart, PartManifest } from '../format/manifest.js';
import { Failure } from '../../../base/terminal/failure.js';

export interface CheckedBackup {
  readonly dir: string;
  readonly manifest: BackupManifest;
  readonly parts: ReadonlyMap<BackupPart, PartManifest>;
}

/**
 * Verifies every file of the selected parts of a backup by its length and checksum. `onBytes` gets the number of
 * bytes of each chunk read.
 * @throws {Failure} names the missing or altered file.
 */
export async function checkBackup(
  dir: string,
  wanted: readonly BackupPart[],
  onBytes: (bytes: number) => void,
): Promise<CheckedBackup> {
  const manifest = await readManifest(dir);
  const parts = new Map<BackupPart, PartManifest>();
  for (const part of wanted) parts.set(part, await checkPart(dir, part, manifest, onBytes));
  return { dir, manifest, parts };
}

/**
 * Returns the manifest of a backup directory, without verifying its parts.
 * @throws {Failure} the directory is no complete backup.
 */
export async function readManifest(dir: string): Promise<BackupManifest> {
  const file = join(dir, MANIFEST_FILE);
  if (!existsSync(file))
    throw new Failure(`${dir} is no backup, or one that was not finished: it has no ${MANIFEST_FILE}`);
  return parseManifest(backupManifest, await readFile(file), file);
}

async function checkPart(
  dir: string,
  part: BackupPart,
  { parts, ...common }: BackupManifest,
  onBytes: (bytes: number) => void,
): Promise<PartManifest> {
  const listed = parts.find((each) => each.part === part);
  if (!listed)
    throw new Failure(
      `this backup has no part ${part}; name the parts to restore with --parts: ${listOf(parts)}`,
    );
  const file = join(dir, part, MANIFEST_FILE);
  if (!existsSync(file))
    throw new Failure(
      `the part ${part} is not in ${dir}: if it is kept elsewhere, copy it to ${join(dir, part)}, else leave it out with --parts`,
    );
  const content = await readFile(file);
  if (sha256Of(content) !== listed.manifestSha256) throw manifestMismatch(content, file, common);
  const manifest = parseManifest(partManifest, content, file);
  for (const each of manifest.files) await checkFile(join(dir, part, each.name), each, onBytes);
  return manifest;
}

function manifestMismatch(
  content: Buffer,
  file: string,
  { networkId, backupId }: Omit<BackupManifest, 'parts'>,
): Failure {
  let actual: PartManifest;
  try {
    actual = parseManifest(partManifest, content, file);
  } catch {
    return new Failure(`${file} was altered or damaged: its checksum is not that of the backup`);
  }
  if (actual.networkId !== networkId)
    return new Failure(
      `${file} is of another network: ${actual.networkId}, and the backup is of ${networkId}`,
    );
  if (actual.backupId !== backupId)
    return new Failure(`${file} is of another backup: ${actual.backupId}, and this is backup ${backupId}`);
  return new Failure(`${file} was altered or damaged: its checksum is not that of the backup`);
}

async function checkFile(
  path: string,
  { bytes, sha256 }: BackupFile,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Failure(`${path} is missing from the backup`);
  if (found.size !== bytes)
    throw new Failure(`${path} was altered or damaged: it has ${found.size} bytes and had ${bytes}`);
  const hash = createHash('sha256');
  const read = createReadStream(path).on('data', (chunk) => onBytes(chunk.length));
  await pipeline(read, hash);
  if (hash.digest('hex') !== sha256)
    throw new Failure(`${path} was altered or damaged: its checksum is not that of the backup`);
}

function parseManifest<Shape>(schema: z.ZodType<Shape>, content: Buffer, file: string): Shape {
  try {
    return schema.parse(JSON.parse(content.toString()));
  } catch (cause) {
    throw new Failure(
      `${file} is not a manifest that this release understands; use the release that made it, or another copy`,
      { cause },
    );
  }
}

const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex');

const listOf = (parts: BackupManifest['parts']) => parts.map(({ part }) => part).join(',');
