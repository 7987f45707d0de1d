import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import { Failure } from '../../base/terminal/failure.js';
import { isBehind, readCut } from './cut.js';
import { COMMIT_NAME, paths } from './paths.js';
import { commitText, filesOf, parseCommit, UnknownFormat } from './state.js';
import type { State } from './state.js';
import type { OnStep, Phase } from './steps.js';
import { writeTemporary } from './write-file.js';

/** A reader that has just listed the commits still finds the newest of them. */
const KEPT_COMMITS = 8;

export interface NewestCommit {
  /** Undefined: no commit can be read whose files are all there. */
  readonly state: State | undefined;
  /** Names of the newer commits: the newest is damaged, and the others too or without files. */
  readonly leftOut: readonly string[];
}

/**
 * Finds the newest commit that counts: if the newest one is damaged, the newest whose files are all there.
 * @throws {Failure} the newest cannot be read, or a later release wrote it.
 */
export function newestCommit(dir: string): NewestCommit {
  const leftOut: string[] = [];
  for (const name of commitNames(dir).toReversed()) {
    const path = join(paths.commits(dir), name);
    const text = textOf(path);
    // Newer commits replaced it since the names were read.
    if (text === undefined) return newestCommit(dir);
    const state = parsed(path, text);
    if (state && (leftOut.length === 0 || isWhole(dir, state))) return { state, leftOut };
    leftOut.push(name);
  }
  return { state: undefined, leftOut };
}

/** Without a checkpoint an export would begin anew, with what was left out since. */
function isWhole(dir: string, state: State): boolean {
  if (!state.checkpoint || isBehind(state, readCut(dir))) return false;
  return filesOf(state).every(({ path }) => existsSync(join(dir, path)));
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Failure(`${path} cannot be read (${code})`, { cause });
  }
}

/** Undefined: the commit is damaged. */
function parsed(path: string, text: string): State | undefined {
  try {
    return parseCommit(text);
  } catch (cause) {
    if (cause instanceof UnknownFormat)
      throw new Failure(`${path} is of a later release of Plaza: use that one`, { cause });
    return undefined;
  }
}

/**
 * Returns the newest state; undefined: the directory has no commit.
 * @throws {Failure} it has commits, and none that counts; as of {@link newestCommit}.
 */
export function readState(dir: string): State | undefined {
  const { state, leftOut } = newestCommit(dir);
  if (!state && leftOut.length > 0) throw nothingCounts(dir);
  return state;
}

export const nothingCounts = (dir: string): Failure =>
  new Failure(
    `the commits of ${dir} are damaged: plaza analytics export ${dir} --rebuild makes the data set anew, under its key, with the --since, --personal and --operators that you name`,
  );

export function setAside(dir: string, names: readonly string[]): void {
  // Oldest first: the newest says so until the last of them is renamed.
  for (const name of [...names].toSorted())
    renameSync(join(paths.commits(dir), name), join(paths.commits(dir), `${name}.damaged`));
  if (names.length > 0) syncDirectory(paths.commits(dir));
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

/** The newest commit may be damaged. */
export function newestNumber(dir: string): number | undefined {
  const newest = commitNames(dir).at(-1);
  return newest === undefined ? undefined : Number.parseInt(newest, 10);
}

function commitNames(dir: string): readonly string[] {
  try {
    return readdirSync(paths.commits(dir))
      .filter((name) => COMMIT_NAME.test(name))
      .toSorted();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new Failure(`${dir} cannot be read (${code})`, { cause });
  }
}
