import { join } from 'node:path';
import type { Logger } from 'pino';
import { LaunchError } from './launch-error.js';
import { hasArguments, hasGone, isEnding } from './processes.js';
import { readRun } from './run-file.js';
import type { Run } from './run-file.js';

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
  const run = readRun(dataDir, log);
  const marks = [ownerMarks.node(dataDir), ownerMarks.eventStore(dataDir)];
  // The ids may belong to strangers by now.
  const isOurs = (pid: number) => isEnding(pid) || marks.some((mark) => hasArguments(pid, ...mark));
  const left = processesOf(run).filter(isOurs);
  await Promise.all(left.map((pid) => clear(pid, dataDir, log)));
}

function processesOf(run: Run | undefined): readonly number[] {
  const { api, worker, eventStore } = run?.pids ?? {};
  return [api, worker, eventStore, ...(run?.starting ?? [])].filter((pid) => pid !== undefined);
}

async function clear(pid: number, dataDir: string, log: Logger): Promise<void> {
  log.warn({ pid }, 'a process of an earlier start is still ending; waiting for it');
  if (await hasGone(pid, LONGEST_ORDERLY_STOP_MS)) return;
  log.warn({ pid }, 'it does not end; ending it by force');
  process.kill(pid, 'SIGKILL');
  if (await hasGone(pid, LONGEST_ORDERLY_STOP_MS)) return;
  throw new LaunchError(
    `DATA_DIR: the process ${pid} of an earlier start on ${dataDir} does not end, even by force; start again when it is gone`,
  );
}
