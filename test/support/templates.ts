import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { acquireDirectory } from '../../src/launch/data-dir.js';
import { accountForPostgres, isOpenToOthers } from '../../src/launch/postgres/system-account.js';
import { newDataDir } from './data-dir.js';
import { until } from './until.js';

/** On a busy machine. */
const MAX_MAKE_MS = 120_000;

/**
 * A `DATA_DIR` as `make` leaves it, with no process running in it. `make` runs once in a test run (run.setup.mjs); later
 * callers get a copy, which takes a tenth of the time.
 */
export async function dataDirFromTemplate(
  name: string,
  make: (dataDir: string) => Promise<void>,
): Promise<string> {
  const dataDir = newDataDir();
  const shared = process.env['PLAZA_TEST_RUN'];
  // If its account cannot enter, Postgres keeps its data elsewhere, and a copy would share that data.
  if (shared === undefined || (accountForPostgres(dataDir) && !isOpenToOthers(shared))) await make(dataDir);
  else {
    const template = join(shared, `template-${name}`);
    if (!existsSync(template)) await makeOnce(template, make);
    // Copies owners, too: Postgres' files belong to its account.
    await promisify(execFile)('cp', ['-a', `${template}/.`, dataDir]);
  }
  return dataDir;
}

/**
 * One of several concurrent callers makes the template while the others wait. If it is killed, the next one uses another
 * directory, since child processes of the killed one may still write into the first.
 */
async function makeOnce(template: string, make: (dataDir: string) => Promise<void>): Promise<void> {
  const lockDir = `${template}.turn`;
  mkdirSync(lockDir, { recursive: true });
  const release = await until(() => existsSync(template) || acquireDirectory(lockDir), MAX_MAKE_MS);
  if (release === true) return;
  try {
    if (existsSync(template)) return;
    const unfinished = mkdtempSync(`${template}.unfinished-`);
    chmodSync(unfinished, 0o755);
    await make(unfinished);
    // Atomic: other processes find it complete or not at all.
    renameSync(unfinished, template);
  } finally {
    release();
  }
}
