import { join } from 'node:path';
import type { Logger } from 'pino';
import { hasArguments, hasGone } from './processes.js';
import { readRun } from './run-file.js';

const LONGEST_ORDERLY_STOP_MS = 12_000;

/** What tells, in the command line of a process of ours, whose it is. */
export const ownerMarks = {
  /** Not read by the process: it is there for a later start, and for a person. */
  node: (dataDir: string) => [`--data-dir=${dataDir}`],
  eventStore: (dataDir: string) => ['--dir', join(dataDir, 'eventstore')],
};

/**
 * Waits for the processes of a launcher that was killed. They end by themselves when their launcher is gone; one that
 * hangs is ended by force. Postgres has rules of its own: see postgres/orphan.ts.
 */
export async function clearLeftovers(dataDir: string, log: Logger): Promise<void> {
  const { api, worker, eventStore } = readRun(dataDir, log)?.pids ?? {};
  await Promise.all([
    clear(api, ownerMarks.node(dataDir), log),
    clear(worker, ownerMarks.node(dataDir), log),
    clear(eventStore, ownerMarks.eventStore(dataDir), log),
  ]);
}

async function clear(pid: number | undefined, mark: readonly string[], log: Logger): Promise<void> {
  // The id may belong to a stranger by now.
  if (pid === undefined || !hasArguments(pid, ...mark)) return;
  log.warn({ pid }, 'a process of an earlier start is still ending; waiting for it');
  if (await hasGone(pid, LONGEST_ORDERLY_STOP_MS)) return;
  log.warn({ pid }, 'it does not end; ending it by force');
  process.kill(pid, 'SIGKILL');
  await hasGone(pid, LONGEST_ORDERLY_STOP_MS);
}
