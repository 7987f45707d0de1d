import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { acquireDirectory } from '../../src/launch/data-dir.js';
import { accountForPostgres, isOpenToOthers } from '../../src/launch/postgres/account.js';
import { newDataDir } from './data-dir.js';
import { until } from './until.js';

/** On a machine that may be busy with other tests. */
const MAX_MAKE_MS = 120_000;

/**
 * A `DATA_DIR` of its own that is as `make` leaves one, with nothing running in it. `make` is called once in a run of
 * tests (run.setup.mjs), by the first spec that asks; what it made is copied, which takes a tenth of the work.
 */
export async function dataDirFrom(name: string, make: (dataDir: string) => Promise<void>): Promise<string> {
  const dataDir = newDataDir();
  const shared = process.env['PLAZA_TEST_RUN'];
  // Where its account cannot enter, Postgres keeps its data elsewhere, and a copy would lead to the same place.
  if (shared === undefined || (accountForPostgres(dataDir) && !isOpenToOthers(shared))) await make(dataDir);
  else {
    const template = join(shared, `template-${name}`);
    if (!existsSync(template)) await makeOnce(template, make);
    // Postgres' files belong to its account, here and there.
    await promisify(execFile)('cp', ['-a', `${template}/.`, dataDir]);
  }
  return dataDir;
}

/**
 * Of several processes that ask for it one makes it, and the others wait; one that was killed at it leaves it to the next. That
 * one begins elsewhere: what the other had started may still be writing. What it leaves goes with the run.
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
    // Others find it whole or not at all.
    renameSync(unfinished, template);
  } finally {
    release();
  }
}
