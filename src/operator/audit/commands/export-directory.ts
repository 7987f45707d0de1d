import { mkdir, open, readdir, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  OWNER_ONLY,
  OWNER_ONLY_DIRECTORY,
  renameDurably,
  writeNewFile,
} from '../../../recovery/backup/take/durable-files.js';
import { acquireDirectory } from '../../../launch/data-dir.js';
import { syncDirectory } from '../../../launch/files.js';
import { makeDirectories } from '../../../launch/make-directories.js';
import { manifestIn } from '../export-manifest.js';
import type { ExportManifest } from '../export-manifest.js';
import { readExport } from './export-stream.js';
import { Failure } from '../../../base/terminal/failure.js';

const ENTRIES = 'audit.jsonl';
const MANIFEST = 'manifest.note';
const unfinished = (name: string) => `${name}.unfinished`;
/** The operating system ends the lock with its process: a killed export blocks no later one. */
const LOCK = unfinished('lock');
const known = new Set([ENTRIES, unfinished(ENTRIES), unfinished(MANIFEST), LOCK]);

/**
 * Writes an export into a new or empty directory, or one that an interrupted export left behind. The manifest gets its
 * name last: a directory without it is no export.
 * @throws {Failure}
 */
export async function writeExport(
  dir: string,
  begin: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<ExportManifest> {
  await usable(dir, () => refuseOtherContent(dir));
  const stream = await begin();
  return usable(dir, async () => {
    const release = await lock(dir);
    try {
      const [entries, manifest] = [join(dir, ENTRIES), join(dir, MANIFEST)];
      const note = await withNewFile(unfinished(entries), (file) => copy(dir, stream, file));
      await writeNewFile(unfinished(manifest), note.text);
      await renameDurably(unfinished(entries), entries);
      await renameDurably(unfinished(manifest), manifest);
      return note.manifest;
    } finally {
      await rm(join(dir, LOCK), { recursive: true, force: true });
      release();
    }
  });
}

async function copy(dir: string, stream: AsyncIterable<Uint8Array>, file: FileHandle) {
  const write = (lines: Uint8Array) => usable(dir, () => file.writeFile(lines));
  const { note, count, root } = await readExport(stream, write);
  const manifest = manifestIn(note);
  if (manifest?.entries.count !== count || manifest.entries.root !== root.toString('base64'))
    throw new Failure('the export did not arrive as it was sent; run the command again');
  return { text: note, manifest };
}

async function withNewFile<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, 'wx', OWNER_ONLY);
  try {
    const result = await write(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/** Creates and locks the directory, and removes an unfinished export from it. Returns the function that releases it. */
async function lock(dir: string): Promise<() => void> {
  makeDirectories(dir, OWNER_ONLY_DIRECTORY);
  await refuseOtherContent(dir);
  await mkdir(join(dir, LOCK), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  const release = acquireDirectory(join(dir, LOCK));
  if (!release)
    throw new Failure(`another export is being written to ${dir}; wait for it, or name another directory`);
  try {
    await refuseOtherContent(dir);
    for (const name of [ENTRIES, unfinished(ENTRIES), unfinished(MANIFEST)])
      await rm(join(dir, name), { force: true });
    syncDirectory(dir);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

async function refuseOtherContent(dir: string): Promise<void> {
  const names = await namesIn(dir);
  const isInterrupted = names.includes(unfinished(MANIFEST)) || !names.includes(ENTRIES);
  if (!isInterrupted || names.some((name) => !known.has(name)))
    throw new Failure(`${dir} is not empty; name a directory that is new or empty`);
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function usable<Result>(dir: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${dir} cannot be used: ${(error as Error).message}`);
  }
}
