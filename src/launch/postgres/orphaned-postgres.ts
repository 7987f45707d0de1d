import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { overwriteFile } from '../files.js';
import { LaunchError } from '../launch-error.js';
import { hasArguments, waitUntilGone } from '../processes.js';

const GRACEFUL_STOP_MS = 15_000;
const IMMEDIATE_STOP_MS = 5_000;

/**
 * Stops a Postgres that an earlier start left running. The caller holds the lock on `DATA_DIR`, so a server in this
 * directory is an orphan.
 * @throws {LaunchError} the server does not stop.
 */
export async function stopOrphanedPostgres(directory: string, log: Logger): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [line = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  // A power cut can leave an empty file, and Postgres does not start before its removal.
  if (line === '') return rmSync(file);
  const pid = Number(line);
  const isOrphan = hasArguments(pid, '-D', directory);
  if (isOrphan === undefined) return;
  if (!isOrphan) {
    // Another process has the id, after a reboot or in a new container, and Postgres would refuse to start. Postgres
    // takes the id of its parent for stale, and still uses the rest of the file to find remaining workers.
    overwriteFile(file, [process.pid, ...rest].join('\n'));
    return;
  }
  log.warn({ pid }, 'Postgres of an earlier start of this network still running; stopping it');
  process.kill(pid, 'SIGINT');
  if (await waitUntilGone(pid, GRACEFUL_STOP_MS)) return;
  process.kill(pid, 'SIGQUIT');
  if (await waitUntilGone(pid, IMMEDIATE_STOP_MS)) return;
  throw new LaunchError(
    `DATA_DIR: the Postgres process ${pid} still uses ${directory} and does not stop; end it, then start again`,
  );
}
