import { accessSync, constants, mkdirSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireDirectory } from '../../../launch/data-dir.js';
import { syncDirectory } from '../../../launch/files.js';
import { eventStoreIn, preRestoreLogIn, restoringLogIn } from './restore-state.js';
import type { PartManifest } from '../format/manifest.js';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY } from '../take/durable-files.js';
import { Failure } from '../../../base/terminal/failure.js';

/**
 * Files of the directory that a restore does not move. The lock: POSIX releases it when its holder opens and closes
 * the file. Certificate and credentials: clients on other machines have copies of them.
 */
const PRESERVED_FILES = /^(?:lock(?:-journal)?|tls\.key|tls\.crt|credentials)$/;

const SQLITE_FULL = 13;

/**
 * Replaces the log of a stopped embedded event store, file by file. The directory of the log stays: it may be a
 * mount, which cannot be renamed, or a link. All files stay within it, so no rename leaves the file system.
 */
export class LogReplacement {
  readonly #directory: string;
  readonly #restored: string;
  readonly archiveDirectory: string;
  #state: 'unchanged' | 'partly moved' | 'moved' = 'unchanged';

  private constructor(
    private readonly dataDir: string,
    stamp: string,
    private readonly release: () => void,
  ) {
    this.#directory = eventStoreIn(dataDir);
    this.#restored = restoringLogIn(dataDir);
    this.archiveDirectory = preRestoreLogIn(dataDir, stamp);
  }

  /**
   * Creates the directory of the event store if absent, and locks it.
   * @throws {Failure} an event store runs there, or the directory is not writable.
   */
  static open(dataDir: string, stamp: string): LogReplacement {
    const directory = eventStoreIn(dataDir);
    let release: (() => void) | undefined;
    try {
      mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
      accessSync(directory, constants.W_OK);
      release = acquireDirectory(directory);
    } catch (error) {
      throw failureAt(directory, error);
    }
    if (release) return new LogReplacement(dataDir, stamp, release);
    throw new Failure(`DATA_DIR: an event store still runs on ${directory}; stop it first`);
  }

  /**
   * Copies the log of the backup into a directory beside the current log.
   * @throws {Failure} for example, the disk has no space for both.
   */
  stage(from: string, { files }: PartManifest, onBytes: (bytes: number) => void): Promise<void> {
    return this.#explainErrors(async () => {
      await rm(this.#restored, { recursive: true, force: true });
      await mkdir(this.#restored, { mode: OWNER_ONLY_DIRECTORY });
      for (const { name, bytes } of files) {
        await copyFile(join(from, name), join(this.#restored, name), constants.COPYFILE_EXCL);
        await syncFile(join(this.#restored, name));
        onBytes(bytes);
      }
      await mkdir(this.archiveDirectory, { mode: OWNER_ONLY_DIRECTORY });
      for (const directory of [this.#restored, this.#directory, this.dataDir]) syncDirectory(directory);
    });
  }

  archive(): Promise<void> {
    return this.#explainErrors(async () => {
      this.#state = 'partly moved';
      await moveFiles(this.#directory, this.archiveDirectory);
      this.#state = 'moved';
    });
  }

  install(): Promise<void> {
    return this.#explainErrors(() => moveFiles(this.#restored, this.#directory));
  }

  async undo(): Promise<void> {
    if (this.#state === 'moved')
      for (const name of await filesIn(this.#directory)) await unlink(join(this.#directory, name));
    if (this.#state !== 'unchanged') await moveFiles(this.archiveDirectory, this.#directory);
    for (const directory of [this.#restored, this.archiveDirectory])
      await rm(directory, { recursive: true, force: true });
  }

  async #explainErrors(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw failureAt(this.#directory, error);
    }
  }

  close(): void {
    this.release();
  }
}

/**
 * Moves the files of the log; the result is durable once this returns. After a crash in between, each file is in
 * exactly one of the two directories.
 */
async function moveFiles(from: string, to: string): Promise<void> {
  for (const name of await filesIn(from)) await rename(join(from, name), join(to, name));
  syncDirectory(to);
  syncDirectory(from);
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && !PRESERVED_FILES.test(entry.name))
    .map(({ name }) => name);
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.chmod(OWNER_ONLY);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function failureAt(directory: string, cause: unknown): unknown {
  const { code, errcode, message } = cause as NodeJS.ErrnoException & { errcode?: number };
  if (code === undefined) return cause;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(code) || errcode === SQLITE_FULL;
  const problem = isFull
    ? `${directory} has too little room for the restored log beside the current one`
    : `the log in ${directory} cannot be replaced`;
  return new Failure(`DATA_DIR: ${problem}: ${message}`, { cause });
}
