import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { isAlive } from '../src/launch/processes.js';
import { until } from '../test/support/until.js';

const LONGEST_START_MS = 60_000;

/** A node of an event store that is not ours: where its process id stands, and what starts it again. */
export interface Node {
  readonly pidFile: string;
  readonly start: string;
}

/** The process of a node. @throws {Error} when its file names none that runs. */
export function pidOf({ pidFile }: Node): number {
  const pid = Number(readFileSync(pidFile, 'utf8').trim());
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid))
    throw new Error(`${pidFile} names no process that runs`);
  return pid;
}

/** Starts a node again, which stays when this process ends. Resolves when its file names a process that runs. */
export async function startNode(node: Node, logFile: string): Promise<void> {
  const log = openSync(logFile, 'a');
  const child = spawn('/bin/sh', ['-c', node.start], { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  await until(() => {
    try {
      return pidOf(node);
    } catch {
      return undefined;
    }
  }, LONGEST_START_MS);
}
