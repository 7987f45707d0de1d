import { existsSync, linkSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import { Failure } from '../../operator/cli/failure.js';
import { COMMIT_NAME, paths } from './paths.js';
import { commitText, parseCommit } from './state.js';
import type { State } from './state.js';
import type { OnStep, Phase } from './steps.js';
import { writeTemporary } from './write-file.js';

/** A reader that has just listed the commits still finds the newest of them. */
const KEPT_COMMITS = 8;

/**
 * Returns the newest state; undefined: the directory has no commit.
 * @throws {Failure} the newest commit is damaged.
 */
export function readState(dir: string): State | undefined {
  const newest = commitNames(dir).at(-1);
  if (newest === undefined) return undefined;
  const path = join(paths.commits(dir), newest);
  try {
    return parseCommit(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'it was changed or damaged';
    throw new Failure(`${path} cannot be read as a commit (${reason}); export into another directory`, {
      cause,
    });
  }
}

/** @throws {Failure} the directory is no data set. */
export function requireState(dir: string): State {
  const state = readState(dir);
  if (!state) throw new Failure(`${dir} is no data set: run plaza analytics export ${dir} first`);
  return state;
}

/**
 * Adds a commit. It counts from the moment when its name exists, and a name is never replaced.
 * @throws {Failure} another process added a commit with this number.
 */
export function putCommit(dir: string, state: State, phase: Phase, onStep: OnStep): void {
  const directory = paths.commits(dir);
  const temporary = writeTemporary(dir, `commit-${state.number}`, Buffer.from(commitText(state)));
  onStep(phase, 'commit written');
  try {
    linkSync(temporary, paths.commit(dir, state.number));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Failure(`another process exports into ${dir}; run one export at a time`, { cause: error });
  }
  onStep(phase, 'commit linked');
  syncDirectory(directory);
  rmSync(temporary);
  onStep(phase, 'commit synced');
  for (const name of commitNames(dir).slice(0, -KEPT_COMMITS)) rmSync(join(directory, name));
}

function commitNames(dir: string): readonly string[] {
  const directory = paths.commits(dir);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => COMMIT_NAME.test(name))
    .toSorted();
}
