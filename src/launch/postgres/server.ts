import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { LaunchError } from '../launch-error.js';
import { describeExit } from '../running-process.js';
import type { RunningProcess } from '../running-process.js';
import { spawnOptions } from './cluster.js';
import type { Cluster } from './cluster.js';

const GRACEFUL_STOP_MS = 15_000;
const START_TIMEOUT_MS = 10 * 60_000;
const READY = 'database system is ready to accept connections';

export class PostgresStartError extends LaunchError {
  constructor(readonly reason: string) {
    super(`Postgres did not start: ${reason}`);
  }
}

export interface ServerOptions {
  readonly log: Logger;
  readonly signal?: AbortSignal | undefined;
  readonly startTimeoutMs?: number;
}

export async function startServer(
  cluster: Cluster,
  port: number,
  { log, signal, startTimeoutMs = START_TIMEOUT_MS }: ServerOptions,
): Promise<RunningProcess> {
  signal?.throwIfAborted();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    log_line_prefix: '',
    log_checkpoints: false,
    // Erased data disappears with its segments of the write-ahead log, see fill-wal-segment.ts.
    wal_recycle: false,
    // Without the DETAIL of an error, which can quote a row.
    log_error_verbosity: 'terse',
    fsync: true,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(
    cluster.binaries.postgres,
    ['-D', cluster.directory, ...flags],
    spawnOptions(cluster.account),
  );
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
  });
  const { pid } = child;
  if (pid === undefined) throw new PostgresStartError(await exited);
  const watchdog = stopWithLauncher(pid, log);
  void exited.then(() => watchdog.kill('SIGKILL'));
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), startTimeoutMs);
  const cancelled = AbortSignal.any(signal ? [signal, timeout.signal] : [timeout.signal]);
  const giveUp = () => void stop(child, exited);
  cancelled.addEventListener('abort', giveUp);
  try {
    await untilReady(child.stderr, log);
    cancelled.throwIfAborted();
  } catch (error) {
    await exited;
    signal?.throwIfAborted();
    throw timeout.signal.aborted
      ? new PostgresStartError('the server took too long to be ready, and was stopped')
      : error;
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', giveUp);
  }
  return { pid, exited, kill: () => child.kill('SIGQUIT'), stop: () => stop(child, exited) };
}

function untilReady(stderr: Readable, log: Logger): Promise<void> {
  return new Promise((resolve, reject) => {
    let reason = 'it ended without a message';
    createInterface({ input: stderr })
      .on('line', (line) => {
        const [, level, message = line] = /^(\w+):\s+(.*)$/.exec(line) ?? [];
        const isFault = level === 'FATAL' || level === 'PANIC';
        if (isFault) reason = message;
        log[isFault ? 'error' : level === 'WARNING' ? 'warn' : 'debug'](message);
        if (message === READY) resolve();
      })
      .on('close', () => reject(new PostgresStartError(reason)));
  });
}

/**
 * Stops Postgres by SIGINT, a fast shutdown: open transactions are rolled back. If it takes too long, by SIGQUIT: the
 * next start then runs crash recovery.
 */
async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const force = setTimeout(() => child.kill('SIGQUIT'), GRACEFUL_STOP_MS);
  child.kill('SIGINT');
  await exited;
  clearTimeout(force);
}

/**
 * Starts a shell that stops Postgres when the launcher ends, since Postgres does not end with its parent. The shell
 * waits on a pipe from the launcher, which closes then.
 */
function stopWithLauncher(pid: number, log: Logger): ChildProcess {
  const script = 'read -r line; kill -INT "$1"';
  return spawn('/bin/sh', ['-c', script, 'plaza-postgres-watch', String(pid)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).on('error', (error) => {
    log.warn(
      { err: error },
      'the watchdog of Postgres did not start; Postgres will outlive a killed launcher',
    );
  });
}
