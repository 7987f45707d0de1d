import { join } from 'node:path';
import type { Logger } from 'pino';
import { LaunchError } from './launch-error.js';
import { hasArguments, waitUntilGone, isExiting } from './processes.js';
import { readRunFile } from './run-file.js';
import type { RunFile } from './run-file.js';

const GRACEFUL_STOP_MS = 12_000;

export const ownerArguments = {
  node: (dataDir: string) => [`--data-dir=${dataDir}`],
  eventStore: (dataDir: string) => ['--dir', join(dataDir, 'eventstore')],
};

/**
 * Waits until the processes of a killed launcher have ended. They end by themselves; one that hangs is killed.
 * Postgres is not among them: see postgres/orphaned-postgres.ts.
 * @throws {LaunchError} a process survives SIGKILL.
 */
export async function stopOrphanedProcesses(dataDir: string, log: Logger): Promise<void> {
  const run = readRunFile(dataDir, log);
  const marks = [ownerArguments.node(dataDir), ownerArguments.eventStore(dataDir)];
  const isOurs = (pid: number) => isExiting(pid) || marks.some((mark) => hasArguments(pid, ...mark));
  const orphans = processesOf(run).filter(isOurs);
  await Promise.all(orphans.map((pid) => clear(pid, dataDir, log)));
}

function processesOf(run: RunFile | undefined): readonly number[] {
  const { api, worker, eventStore } = run?.pids ?? {};
  return [api, worker, eventStore, ...(run?.starting ?? [])].filter((pid) => pid !== undefined);
}

async function clear(pid: number, dataDir: string, log: Logger): Promise<void> {
  log.warn({ pid }, 'process of an earlier start of this network still running; waiting for its end');
  if (await waitUntilGone(pid, GRACEFUL_STOP_MS)) return;
  log.warn({ pid }, 'process of an earlier start of this network does not end; killing it');
  process.kill(pid, 'SIGKILL');
  if (await waitUntilGone(pid, GRACEFUL_STOP_MS)) return;
  throw new LaunchError(
    `DATA_DIR: the process ${pid} of an earlier start on ${dataDir} does not end, even after SIGKILL; start again when it is gone`,
  );
}
