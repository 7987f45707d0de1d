import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UnusableFileError } from '@plaza/event-store';
import { acquireDirectory } from '../../launch/data-dir.js';
import { isAccessRefused } from './disk-errors.js';
import { DAY_NAME, FILE_NAME, paths } from './paths.js';
import { applicationLines, namedBy } from './state.js';
import type { State } from './state.js';
import { putText } from './write-file.js';

/** Removes temporary files, files of events that the state does not name, and days without files. */
export function removeUncommitted(dir: string, state: State): void {
  const named = namedBy(state);
  removeStaleSpills(dir);
  for (const name of readdirSync(paths.temporary(dir)))
    rmSync(join(paths.temporary(dir), name), { recursive: true });
  if (existsSync(paths.people(dir)))
    for (const name of readdirSync(paths.people(dir)))
      if (!named.has(`people/${name}`)) rmSync(join(paths.people(dir), name));
  for (const day of readdirSync(paths.events(dir)).filter((name) => DAY_NAME.test(name))) {
    const directory = join(paths.events(dir), day);
    const names = readdirSync(directory);
    const left = names.filter((name) => FILE_NAME.test(name) && !named.has(`events/${day}/${name}`));
    for (const name of left) rmSync(join(directory, name));
    if (left.length === names.length) rmdirSync(directory);
  }
}

/** Removes what killed queries spilled. */
export function removeStaleSpills(dir: string): void {
  const root = paths.spill(dir);
  if (!existsSync(root)) return;
  for (const name of spillsIn(root)) {
    const release = lockOf(join(root, name));
    if (!release) continue;
    rmSync(join(root, name), { recursive: true, force: true });
    release();
  }
}

/** None of those that another account made. */
function spillsIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch (error) {
    if (isAccessRefused(error)) return [];
    throw error;
  }
}

/** Undefined: another process holds the lock, or the directory is gone. */
export function lockOf(path: string): (() => void) | undefined {
  try {
    return acquireDirectory(path);
  } catch (error) {
    if (error instanceof UnusableFileError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined;
    throw error;
  }
}

export function writeApplications(dir: string, state: Pick<State, 'applications'>): void {
  putText(dir, paths.applications(dir), applicationLines(state));
}
