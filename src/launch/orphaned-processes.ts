import { join } from 'node:path';
import type { Logger } from 'pino';
import { LaunchError } from './launch-error.js';
import { hasArguments, waitUntilGone, isExiting } from './processes.js';
import { readRun } from './run-file.js';
import type { Run } from './run-file.js';

const GRACEFUL_STOP_MS = 12_000;

export const ownerArguments = {
  node: (dataDir: string) => [`--data-dir=${dataDir}`],
  eventStore: (dataDir: string) => ['--dir', join(dataDir, 'eventstore')],
};

/**
 * Waits for the processes of a killed launcher. They end by themselves; a hanging one is killed. Postgres has rules of
 * its own: see postgres/orphaned-postgres.ts.
 * @throws {LaunchError} a process survives SIGKILL.
 */
export async function stopOrphanedProcesses(dataDir: string, log: Logger): Promise<void> {
  const run = readRun(dataDir, log);
  const marks = [ownerArguments.node(dataDir), ownerArguments.eventStore(dataDir)];
  const isOurs = (pid: number) => isExiting(pid) || marks.some((mark) => hasArguments(pid, ...mark));
  const orphans = processesOf(run).filter(isOurs);
  await Promise.all(orphans.map((pid) => clear(pid, dataDir, log)));
}

function processesOf(run: Run | undefined): readonly number[] {
  const { api, worker, eventStore } = run?.pids ?? {};
  return [api, worker, eventStore, ...(run?.starting ?? [])].filter((pid) => pid !== undefined);
}

async function clear(pid: number, dataDir: string, log: Logger): Promise<void> {
  log.warn({ pid }, 'process of an earlier start still running; waiting for its end');
  if (await waitUntilGone(pid, GRACEFUL_STOP_MS)) return;
  log.warn({ pid }, 'process of an earlier start does not end; killing it');
  process.kill(pid, 'SIGKILL');
  if (await waitUntilGone(pid, GRACEFUL_STOP_MS)) return;
  throw new LaunchError(
    `DATA_DIR: the process ${pid} of an earlier start on ${dataDir} does not end, even after SIGKILL; start again when it is gone`,
  );
}
