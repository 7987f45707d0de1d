import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { requireState } from './commits.js';
import { requireIntact } from './outside-pages.js';
import { wasChanged, wasLost } from './parquet.js';
import { paths } from './paths.js';
import { lockForReading } from './reading-lock.js';
import { applicationLines, filesOf, namedBy } from './state.js';
import type { DataFile, State } from './state.js';

export interface Fault {
  readonly path: string;
  readonly fault: 'missing' | 'changed' | 'foreign';
}

export interface Verified {
  readonly files: number;
  readonly events: number;
  readonly faults: readonly Fault[];
  /** False: an export is running, which may have files that it did not commit yet. */
  readonly foreignSearched: boolean;
}

/**
 * Compares every file with the newest commit of this moment. An export may go on meanwhile: the lock is held only while
 * foreign files are searched.
 * @throws {Failure} the directory is no data set, or its newest commit was changed.
 */
export async function verifyDataSet(
  dir: string,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Verified> {
  const state = requireState(dir);
  const { files } = state;
  const faults: Fault[] = [];
  for (const file of filesOf(state)) {
    const fault = await faultOf(dir, file, onBytes);
    if (fault) faults.push({ path: file.path, fault });
  }
  const release = lockForReading(dir);
  try {
    const newest = requireState(dir);
    const named = namedBy(newest);
    return {
      files: files.length,
      events: files.reduce((sum, { rows }) => sum + rows, 0),
      faults: [
        ...faults.filter(({ path }) => named.has(path)),
        ...(release ? [...applicationsFault(dir, newest), ...foreignIn(dir, newest)] : []),
      ],
      foreignSearched: release !== undefined,
    };
  } finally {
    release?.();
  }
}

export async function faultOf(
  dir: string,
  { path, bytes, sha256 }: Pick<DataFile, 'path' | 'bytes' | 'sha256'>,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Fault['fault'] | undefined> {
  const file = join(dir, path);
  const hash = createHash('sha256');
  try {
    if (statSync(file).size !== bytes) return 'changed';
    await pipeline(
      createReadStream(file).on('data', (chunk) => onBytes(chunk.length)),
      hash,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw error;
  }
  return hash.digest('hex') === sha256 ? undefined : 'changed';
}

/** The first file that is missing or has another length. */
export function lostFile(dir: string, state: State): string | undefined {
  const exists = ({ path, bytes }: Pick<DataFile, 'path' | 'bytes'>) =>
    statSync(join(dir, path), { throwIfNoEntry: false })?.size === bytes;
  const lost = filesOf(state).find((file) => !exists(file));
  return lost && join(dir, lost.path);
}

/** @throws {Failure} a file is missing or has another length. */
export function requireFiles(dir: string, state: State): void {
  const lost = lostFile(dir, state);
  if (lost !== undefined) throw wasLost(lost);
}

/** A file of a release without checksums in its pages is compared whole: what reads it would make its damage good. */
export async function requireUnchanged(dir: string, file: DataFile): Promise<void> {
  requireIntact(dir, file);
  if (!file.outside && (await faultOf(dir, file)) !== undefined) throw wasChanged(join(dir, file.path));
}

function applicationsFault(dir: string, state: State): readonly Fault[] {
  const path = paths.applications(dir);
  if (!existsSync(path)) return [{ path: 'applications.json', fault: 'missing' }];
  const isSame = readFileSync(path, 'utf8') === applicationLines(state);
  return isSame ? [] : [{ path: 'applications.json', fault: 'changed' }];
}

function foreignIn(dir: string, state: State): readonly Fault[] {
  const named = namedBy(state);
  return [paths.events(dir), paths.people(dir)]
    .filter(existsSync)
    .flatMap((directory) => readdirSync(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .filter((path) => !named.has(path))
    .map((path) => ({ path, fault: 'foreign' }));
}
