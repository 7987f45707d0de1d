import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { overwrite } from '../files.js';
import { LaunchError } from '../launch-error.js';
import { hasArguments, hasGone } from '../processes.js';

const LONGEST_ORDERLY_STOP_MS = 15_000;
const LONGEST_CRASH_STOP_MS = 5_000;

/**
 * Deals with what an earlier start left behind. Whoever calls holds the lock on `DATA_DIR`, so a server that still runs
 * on this directory is an orphan and is stopped.
 */
export async function clearOrphan(directory: string, log: Logger): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [line = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  // What a power cut leaves of it. Postgres would wait for somebody to remove it.
  if (line === '') return rmSync(file);
  const pid = Number(line);
  const isOrphan = hasArguments(pid, '-D', directory);
  // Postgres itself sees that the process is gone, and waits for workers that outlived it.
  if (isOrphan === undefined) return;
  if (!isOrphan) {
    // The id was given to a stranger (after a reboot, or in a new container), and Postgres would refuse to start.
    // It takes its parent's id for a stale one, and still uses the rest of the file to look for outliving workers.
    overwrite(file, [process.pid, ...rest].join('\n'));
    return;
  }
  log.warn({ pid }, 'a Postgres that an earlier start left behind still runs here; stopping it');
  process.kill(pid, 'SIGINT');
  if (await hasGone(pid, LONGEST_ORDERLY_STOP_MS)) return;
  process.kill(pid, 'SIGQUIT');
  if (await hasGone(pid, LONGEST_CRASH_STOP_MS)) return;
  throw new LaunchError(
    `DATA_DIR: the Postgres process ${pid} still uses ${directory} and does not stop; end it and start again`,
  );
}
