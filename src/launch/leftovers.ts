import type { Logger } from 'pino';
import { commandOf, hasGone } from './processes.js';
import { readRun } from './run-file.js';

const LONGEST_ORDERLY_STOP_MS = 12_000;

/**
 * Waits for the processes of a launcher that was killed. They end by themselves when their launcher is gone; one that
 * hangs is ended by force. Postgres has rules of its own: see postgres/orphan.ts.
 */
export async function clearLeftovers(dataDir: string, log: Logger): Promise<void> {
  const { api, worker, eventStore } = readRun(dataDir)?.pids ?? {};
  const pids = [api, worker, eventStore].filter((pid) => pid !== undefined);
  await Promise.all(pids.map((pid) => clear(pid, dataDir, log)));
}

async function clear(pid: number, dataDir: string, log: Logger): Promise<void> {
  // Every process of ours has the directory in its command line; the id may belong to a stranger by now.
  if (!commandOf(pid)?.includes(dataDir)) return;
  log.warn({ pid }, 'a process of an earlier start is still ending; waiting for it');
  if (await hasGone(pid, LONGEST_ORDERLY_STOP_MS)) return;
  log.warn({ pid }, 'it does not end; ending it by force');
  process.kill(pid, 'SIGKILL');
  await hasGone(pid, LONGEST_ORDERLY_STOP_MS);
}
