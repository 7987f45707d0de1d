import {
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { acquireDirectory } from '../../launch/data-dir.js';
import { syncDirectory } from '../../launch/files.js';
import { makeDirectories } from '../../launch/make-directories.js';
import { storeSecret } from '../../launch/secret-file.js';
import { Failure } from '../../base/terminal/failure.js';
import { shapeOf } from '../columns/columns.js';
import type { Contents } from '../columns/columns.js';
import { newestCommit, nothingCounts, putCommit, readState, setAside } from './commits.js';
import { readCut, writeCut } from './cut.js';
import type { Cut } from './cut.js';
import { paths } from './paths.js';
import type { Compression } from './parquet.js';
import { keyProofOf, namedBy } from './state.js';
import type { DataFile, State } from './state.js';
import type { OnStep, Phase } from './steps.js';
import { removeUncommitted, writeApplications } from './sweep.js';
import { OWNER_ONLY, writeTemporary } from './write-file.js';
import type { WriteOptions } from './write-file.js';

const KEY_BYTES = 32;
/** Files that a compaction replaced stay for so long. */
const REPLACED_MS = 3_600_000;

export interface DataSetOptions {
  readonly now: () => number;
  readonly randomBytes: (length: number) => Buffer;
  readonly compression?: Compression;
  readonly onStep?: OnStep;
  /** Called with each state that counts from then on, to write what others read beside the files. */
  readonly onState?: (dir: string, state: State) => void;
  /** The data set is about to begin anew, and so needs its key alone. */
  readonly isMadeAnew?: boolean;
}

type Initial = Contents & Pick<State, 'since'>;

/** Change of a commit: files are added to and removed from those of the state before. */
export type Change = Partial<
  Omit<State, 'format' | 'keyProof' | 'number' | 'committedAt' | 'files' | 'replaced'>
> & {
  readonly added?: readonly DataFile[];
  readonly removed?: readonly DataFile[];
};

/** A directory with exported events, which one process at a time may change. */
export class DataSet {
  private constructor(
    readonly dir: string,
    readonly key: Buffer,
    private current: State,
    private readonly options: DataSetOptions,
    private readonly release: () => void,
  ) {}

  /**
   * Locks a directory, creates the data set if it has none, and removes what an interrupted process left.
   * @throws {Failure} another process holds the lock, or the directory is no data set and not empty.
   */
  static open(dir: string, initial: Initial, options: DataSetOptions): DataSet {
    refuseOtherDirectory(dir);
    for (const directory of [dir, paths.commits(dir), paths.temporary(dir), paths.events(dir)])
      makeDirectories(directory, OWNER_ONLY.directory);
    const release = acquireDirectory(dir);
    if (!release) throw new Failure(`another process exports into ${dir}; run one export at a time`);
    try {
      const { state, leftOut } = newestCommit(dir);
      if (!state && leftOut.length > 0 && options.isMadeAnew !== true) throw nothingCounts(dir);
      const key = keyOf(dir, state, leftOut.length > 0, options);
      setAside(dir, leftOut);
      const onStep = options.onStep ?? (() => undefined);
      const first = firstState(initial, state ? undefined : readCut(dir), key, options.now());
      writeCut(dir, state ?? first);
      if (!state) putCommit(dir, first, 'flush', onStep);
      const dataSet = new DataSet(dir, key, state ?? first, options, release);
      dataSet.sweep();
      return dataSet;
    } catch (error) {
      release();
      throw error;
    }
  }

  get state(): State {
    return this.current;
  }

  writeOptions(): WriteOptions {
    const { compression = 'zstd', onStep = () => undefined } = this.options;
    return { contents: this.current, compression, onStep };
  }

  /** Removed files are gone at once, but for those that a compaction replaced. */
  commit(phase: Phase, { added = [], removed = [], ...change }: Change): void {
    const now = this.options.now();
    const { replaced = [] } = this.current;
    const staying = [
      ...(phase === 'flush' && removed.length > 0 ? [] : replaced.filter(({ at }) => now - at < REPLACED_MS)),
      ...(phase === 'compaction' ? removed.map(({ path }) => ({ path, at: now })) : []),
    ];
    // Files of two releases may have other columns.
    const isMixed =
      added.length > 0 && this.current.checkpoint !== null && this.current.shape !== shapeOf(this.current);
    const next: State = {
      ...this.current,
      ...(isMixed && { shape: MIXED }),
      ...change,
      format: FORMAT,
      keyProof: keyProofOf(this.key),
      number: this.current.number + 1,
      committedAt: new Date(now).toISOString(),
      files: [...this.current.files.filter((file) => !removed.includes(file)), ...added],
      replaced: staying,
    };
    const { onStep } = this.writeOptions();
    writeCut(this.dir, next);
    putCommit(this.dir, next, phase, onStep);
    const named = namedBy(next);
    const gone = [...namedBy(this.current)].filter((path) => !named.has(path));
    this.current = next;
    for (const path of gone) {
      rmSync(join(this.dir, path), { force: true });
      onStep(phase, 'one superseded file removed');
    }
    this.tellState();
  }

  /** Removes files that no commit names. */
  sweep(): void {
    // A fault after its link leaves a commit that names files which this state does not. The next start sweeps them.
    if (readState(this.dir)?.number !== this.current.number) return;
    removeUncommitted(this.dir, this.current);
    this.tellState();
  }

  tellState(): void {
    writeApplications(this.dir, this.current);
    this.options.onState?.(this.dir, this.current);
  }

  close(): void {
    this.release();
  }
}

const FORMAT = 2;
const MIXED = 'mixed';

const OWN_NAMES: ReadonlySet<string> = new Set([
  'commits',
  'events',
  'people',
  'spill',
  'tmp',
  'key',
  'lock',
  'applications.json',
  'report.html',
  'views.sql',
  'cut',
  'complete-until',
]);

function refuseOtherDirectory(dir: string): void {
  if (existsSync(dir) && !statSync(dir).isDirectory())
    throw new Failure(`${dir} is a file: name an empty or new directory`);
  const other = existsSync(dir) && readdirSync(dir).find((name) => !OWN_NAMES.has(name));
  if (other && !existsSync(paths.commits(dir)))
    throw new Failure(`${dir} is no data set and holds ${other}: name an empty or new directory`);
}

const firstState = (initial: Initial, cut: Cut | undefined, key: Buffer, now: number): State => ({
  format: FORMAT,
  keyProof: keyProofOf(key),
  number: 1,
  committedAt: new Date(now).toISOString(),
  checkpoint: null,
  ...initial,
  since: cut ? Math.max(cut.since, initial.since ?? 0) : initial.since,
  folded: cut?.isForgotten === true ? 'forgotten' : 'nothing',
  shape: shapeOf(initial),
  applications: [],
  files: [],
});

/** The key of the pseudonyms: without it, exported rows and new ones could not be joined. */
function keyOf(
  dir: string,
  state: State | undefined,
  isDamaged: boolean,
  { randomBytes }: DataSetOptions,
): Buffer {
  const path = paths.key(dir);
  if (!existsSync(path)) {
    const apart = linkedPath(path);
    if (state || isDamaged)
      throw new Failure(
        `${apart ?? path} is missing: restore it from a copy, or export into another directory. Pseudonyms depend on it`,
      );
    putKey(dir, apart, randomBytes(KEY_BYTES).toString('hex'));
  }
  const key = readKey(dir);
  if (key?.length !== KEY_BYTES) throw new Failure(`${path} is damaged: it must have 64 hexadecimal digits`);
  if (state) requireOwnKey(dir, state, key);
  return key;
}

/** `apart`: where a link that stood before the first export keeps the key, as on another volume. */
function putKey(dir: string, apart: string | undefined, key: string): void {
  if (apart === undefined) {
    linkSync(writeTemporary(dir, 'key', Buffer.from(`${key}\n`)), paths.key(dir));
    return syncDirectory(dir);
  }
  if (!existsSync(dirname(apart)))
    throw new Failure(
      `${paths.key(dir)} leads to ${apart}, whose directory does not exist: mount or make it, nothing was exported`,
    );
  storeSecret(apart, key);
}

/** Undefined: it is no symbolic link. */
function linkedPath(path: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : undefined;
}

/** Undefined: this copy of the data set has no key. */
export function readKey(dir: string): Buffer | undefined {
  const path = paths.key(dir);
  return existsSync(path) ? Buffer.from(readFileSync(path, 'utf8').trim(), 'hex') : undefined;
}

/** @throws {Failure} the key is of another data set. */
export function requireOwnKey(dir: string, { keyProof }: Pick<State, 'keyProof'>, key: Buffer): void {
  if (keyProof === undefined || keyProof === keyProofOf(key)) return;
  throw new Failure(
    `${paths.key(dir)} is the key of another data set: people would count twice. Restore its own, or export into another directory`,
  );
}
