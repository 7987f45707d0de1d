import { accessSync, constants, mkdirSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { takeDirectory } from '../../launch/data-dir.js';
import { syncDirectory } from '../../launch/files.js';
import { eventStoreIn, keptLogIn, restoringLogIn } from './restore-state.js';
import type { PartManifest } from '../format/manifest.js';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY } from '../take/durable-files.js';
import { Failure } from '../../operator/cli/failure.js';

/**
 * Files of the event store that are not the log, and stay: its lock, since POSIX drops a lock when its holder opens and closes
 * the file; and its certificate and password, which clients elsewhere have copies of.
 */
const STAYS = /^(?:lock(?:-journal)?|tls\.key|tls\.crt|credentials)$/;

/** What the lock of a directory says where the disk is full. */
const SQLITE_FULL = 13;

/**
 * The log of a stopped embedded event store, to be replaced file by file within its directory. The directory itself stays
 * where it is: it may be a mount, which cannot be renamed, or a link; and within it no rename leaves the file system.
 */
export class LogReplacement {
  readonly #place: string;
  readonly #restored: string;
  /** Where the log that is there will be kept. */
  readonly kept: string;
  #holds: 'the old one' | 'some of the old one' | 'none of the old one' = 'the old one';

  private constructor(
    private readonly dataDir: string,
    stamp: string,
    private readonly release: () => void,
  ) {
    this.#place = eventStoreIn(dataDir);
    this.#restored = restoringLogIn(dataDir);
    this.kept = keptLogIn(dataDir, stamp);
  }

  /**
   * Takes the event store's directory, which is made where there is none. `stamp`: of the restore.
   * @throws {Failure} an event store runs there, or nothing can be written there.
   */
  static open(dataDir: string, stamp: string): LogReplacement {
    const place = eventStoreIn(dataDir);
    let release: (() => void) | undefined;
    try {
      mkdirSync(place, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
      accessSync(place, constants.W_OK);
      release = takeDirectory(place);
    } catch (error) {
      throw failureAt(place, error);
    }
    if (release) return new LogReplacement(dataDir, stamp, release);
    throw new Failure(`DATA_DIR: an event store still runs on ${place}; stop it first`);
  }

  /** Copies the log of a backup beside the one that is there. @throws {Failure} such as too little room for both. */
  layOut(from: string, { files }: PartManifest, onBytes: (bytes: number) => void): Promise<void> {
    return this.#explained(async () => {
      await rm(this.#restored, { recursive: true, force: true });
      await mkdir(this.#restored, { mode: OWNER_ONLY_DIRECTORY });
      for (const { name, bytes } of files) {
        await copyFile(join(from, name), join(this.#restored, name), constants.COPYFILE_EXCL);
        await settle(join(this.#restored, name));
        onBytes(bytes);
      }
      await mkdir(this.kept, { mode: OWNER_ONLY_DIRECTORY });
      for (const directory of [this.#restored, this.#place, this.dataDir]) syncDirectory(directory);
    });
  }

  /** Moves the log that is there aside, all of it. @throws {Failure} */
  keepAside(): Promise<void> {
    return this.#explained(async () => {
      this.#holds = 'some of the old one';
      await moveFiles(this.#place, this.kept);
      this.#holds = 'none of the old one';
    });
  }

  /** Moves what was laid out to where none is any more. @throws {Failure} */
  putInPlace(): Promise<void> {
    return this.#explained(() => moveFiles(this.#restored, this.#place));
  }

  /** The log is as it was, however far this came, and nothing else is left. */
  async undo(): Promise<void> {
    if (this.#holds === 'none of the old one')
      for (const name of await filesIn(this.#place)) await unlink(join(this.#place, name));
    if (this.#holds !== 'the old one') await moveFiles(this.kept, this.#place);
    for (const directory of [this.#restored, this.kept])
      await rm(directory, { recursive: true, force: true });
  }

  async #explained(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      throw failureAt(this.#place, error);
    }
  }

  close(): void {
    this.release();
  }
}

/** For good once this returns; cut off in between, each file is in one of both. */
async function moveFiles(from: string, to: string): Promise<void> {
  for (const name of await filesIn(from)) await rename(join(from, name), join(to, name));
  syncDirectory(to);
  syncDirectory(from);
}

/** Without directories: what earlier restores kept, and what a file system has of its own. */
async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory() && !STAYS.test(entry.name)).map(({ name }) => name);
}

async function settle(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.chmod(OWNER_ONLY);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What the file system refused, in words; anything else is as it is. */
function failureAt(place: string, cause: unknown): unknown {
  const { code, errcode, message } = cause as NodeJS.ErrnoException & { errcode?: number };
  if (code === undefined) return cause;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(code) || errcode === SQLITE_FULL;
  const what = isFull
    ? `${place} has too little room for the restored log beside the one that is there`
    : `the log in ${place} cannot be replaced`;
  return new Failure(`DATA_DIR: ${what}: ${message}`, { cause });
}
