import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { preRestoreLogIn, restoringLogIn } from '../../src/recovery/backup/restore/restore-state.js';
import { tlsIdentity } from '@plaza/event-store';
import { LogReplacement } from '../../src/recovery/backup/restore/restore-log.js';
import { BACKUP_FORMAT } from '../../src/recovery/backup/format/manifest.js';
import type { PartManifest } from '../../src/recovery/backup/format/manifest.js';
import { canHaveSmallDisk, makeSmallDisk } from '@plaza/event-store/testing';

const OLD = { '0': 'old', '1': 'old', '3': 'old' };
const NEW = { '0': 'new', '1': 'new', '2': 'new' };

type Files = Readonly<Record<string, string>>;

let scratch: string;
let dataDir: string;
let eventStore: string;
let backup: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'plaza-log-'));
  [dataDir, backup] = [join(scratch, 'data'), join(scratch, 'backup')];
  eventStore = join(dataDir, 'eventstore');
  write(eventStore, OLD);
  write(backup, NEW);
});

afterEach(() => rmSync(scratch, { recursive: true }));

function write(dir: string, files: Files): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
}

/** The files of a directory, without those of its subdirectories. */
function read(dir: string): Files {
  const files = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).filter((name) => !name.startsWith('lock'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}

const directoriesIn = (dir: string) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

const manifest = (files: Files): PartManifest => ({
  format: BACKUP_FORMAT,
  version: '1.0.0',
  backupId: 'backup',
  networkId: 'network',
  takenAt: new Date(0).toISOString(),
  part: 'log',
  note: '',
  files: Object.entries(files).map(([name, { length }]) => ({ name, bytes: length, sha256: '0'.repeat(64) })),
});

/** Opens the replacement of a log, runs `act`, and closes it. */
async function withLog(stamp: string, act: (log: LogReplacement) => Promise<void>): Promise<void> {
  const log = LogReplacement.open(dataDir, stamp);
  try {
    await act(log);
  } finally {
    log.close();
  }
}

const replace = (stamp: string) =>
  withLog(stamp, async (log) => {
    await log.stage(backup, manifest(NEW), () => undefined);
    await log.archive();
    await log.install();
  });

const putBack = (stamp: string) =>
  withLog(stamp, async (log) => {
    await log.stage(backup, manifest(NEW), () => undefined);
    await log.archive();
    await log.undo();
  });

describe('a log that is replaced within its directory', () => {
  it('is the new one, and the old one is kept beside it', async () => {
    mkdirSync(join(eventStore, 'lost+found'));
    await replace('a');
    expect(read(eventStore)).toEqual(NEW);
    expect(read(preRestoreLogIn(dataDir, 'a'))).toEqual(OLD);
    expect(directoriesIn(eventStore)).toContain('lost+found');
  });

  it.each([
    ['replaced', replace],
    ['put back', putBack],
  ])('keeps its certificate and password when it is %s', async (_, act) => {
    const options = { dir: eventStore, host: '127.0.0.1', now: () => new Date(0) };
    const identity = await tlsIdentity(options);
    await act('a');
    expect(await tlsIdentity(options)).toEqual(identity);
    expect(directoriesIn(eventStore).flatMap((name) => readdirSync(join(eventStore, name)))).not.toContain(
      'credentials',
    );
  });

  it('is created where there was none', async () => {
    rmSync(eventStore, { recursive: true });
    await replace('a');
    expect(read(eventStore)).toEqual(NEW);
  });

  it('stays where a symbolic link points', async () => {
    const elsewhere = join(scratch, 'elsewhere');
    renameSync(eventStore, elsewhere);
    symlinkSync(elsewhere, eventStore);
    await replace('a');
    expect(read(elsewhere)).toEqual(NEW);
  });

  const steps = [0, 1, 2, 3];
  it.each(steps)('is completed after an interruption with %i files moved aside', async (moved) => {
    await withLog('a', (log) => log.stage(backup, manifest(NEW), () => undefined));
    for (const name of Object.keys(OLD).slice(0, moved))
      renameSync(join(eventStore, name), join(preRestoreLogIn(dataDir, 'a'), name));
    await replace('b');
    expect(read(eventStore)).toEqual(NEW);
    expect({ ...read(preRestoreLogIn(dataDir, 'b')), ...read(preRestoreLogIn(dataDir, 'a')) }).toEqual(OLD);
  });

  it.each(steps)('is completed after an interruption with %i files put in place', async (put) => {
    await withLog('a', async (log) => {
      await log.stage(backup, manifest(NEW), () => undefined);
      await log.archive();
    });
    for (const name of Object.keys(NEW).slice(0, put))
      renameSync(join(restoringLogIn(dataDir), name), join(eventStore, name));
    await replace('b');
    expect(read(eventStore)).toEqual(NEW);
    expect(read(preRestoreLogIn(dataDir, 'a'))).toEqual(OLD);
  });

  it('is put back where a new file cannot be put in place, and leaves nothing else', async () => {
    // A file cannot replace a directory.
    mkdirSync(join(eventStore, '2'));
    await withLog('a', async (log) => {
      await log.stage(backup, manifest(NEW), () => undefined);
      await log.archive();
      await expect(log.install()).rejects.toThrow(/^DATA_DIR: the log in .* cannot be replaced: EISDIR/);
      expect(read(eventStore)).toEqual({ '0': 'new', '1': 'new' });
      await log.undo();
    });
    expect(read(eventStore)).toEqual(OLD);
    expect(directoriesIn(eventStore)).toEqual(['2']);
  });
});

(canHaveSmallDisk ? describe : describe.skip)('a log on a disk of its own (needs root)', () => {
  it('stays as it was where the new one does not fit, and the space is freed', async () => {
    rmSync(eventStore, { recursive: true });
    mkdirSync(eventStore);
    const disk = makeSmallDisk(1, eventStore);
    try {
      write(eventStore, OLD);
      const tooMuch = { '0': 'new', '1': 'x'.repeat(2 * 2 ** 20) };
      write(backup, tooMuch);
      await withLog('a', async (log) => {
        await expect(log.stage(backup, manifest(tooMuch), () => undefined)).rejects.toThrow(
          /^DATA_DIR: .*eventstore has too little room for .*: ENOSPC/,
        );
        await log.undo();
      });
      expect(read(eventStore)).toEqual(OLD);
      expect(directoriesIn(eventStore)).toEqual([]);
    } finally {
      disk.remove();
    }
  });
});
