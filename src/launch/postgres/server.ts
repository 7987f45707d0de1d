import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { LaunchError } from '../launch-error.js';
import { howItEnded } from '../running.js';
import type { Running } from '../running.js';
import { spawnOptions } from './cluster.js';
import type { Cluster } from './cluster.js';

const LONGEST_ORDERLY_STOP_MS = 15_000;
/** Recovery after a crash goes through at most a gigabyte or two of its journal. */
const LONGEST_START_MS = 10 * 60_000;
const READY = 'database system is ready to accept connections';

/** Why Postgres did not start, in its own words. */
export class PostgresRefusal extends LaunchError {
  constructor(readonly reason: string) {
    super(`Postgres did not start: ${reason}`);
  }
}

export interface ServerOptions {
  readonly log: Logger;
  /** Gives up waiting until it is ready, and stops it. */
  readonly signal?: AbortSignal | undefined;
  readonly longestStartMs?: number;
}

/** Starts the server on a cluster and waits until it accepts connections. */
export async function startServer(
  cluster: Cluster,
  port: number,
  { log, signal, longestStartMs = LONGEST_START_MS }: ServerOptions,
): Promise<Running> {
  signal?.throwIfAborted();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    log_line_prefix: '',
    log_checkpoints: false,
    // What was erased goes with the segments of the write-ahead log that have it, see leave-journal.ts.
    wal_recycle: false,
    // Never off: what was acknowledged survives a power cut.
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
    child.once('exit', (code, signal) => resolve(howItEnded(code, signal)));
  });
  const { pid } = child;
  if (pid === undefined) throw new PostgresRefusal(await exited);
  const watch = endWithUs(pid, log);
  void exited.then(() => watch.kill('SIGKILL'));
  const tooLate = new AbortController();
  const timer = setTimeout(() => tooLate.abort(), longestStartMs);
  const givenUp = AbortSignal.any(signal ? [signal, tooLate.signal] : [tooLate.signal]);
  const giveUp = () => void stop(child, exited);
  givenUp.addEventListener('abort', giveUp);
  try {
    await untilReady(child.stderr, log);
    givenUp.throwIfAborted();
  } catch (error) {
    await exited;
    signal?.throwIfAborted();
    throw tooLate.signal.aborted ? new PostgresRefusal('it took too long to be ready') : error;
  } finally {
    clearTimeout(timer);
    givenUp.removeEventListener('abort', giveUp);
  }
  return { pid, exited, kill: () => child.kill('SIGQUIT'), stop: () => stop(child, exited) };
}

/** Passes what Postgres says to the log. Rejects when it ends before it is ready, with its last words. */
function untilReady(stderr: Readable, log: Logger): Promise<void> {
  return new Promise((resolve, reject) => {
    let reason = 'it ended without a word';
    createInterface({ input: stderr })
      .on('line', (line) => {
        const [, level, message = line] = /^(\w+):\s+(.*)$/.exec(line) ?? [];
        const isFault = level === 'FATAL' || level === 'PANIC';
        if (isFault) reason = message;
        log[isFault ? 'error' : level === 'WARNING' ? 'warn' : 'debug'](message);
        if (message === READY) resolve();
      })
      .on('close', () => reject(new PostgresRefusal(reason)));
  });
}

/** SIGINT is Postgres' fast shutdown: open transactions are rolled back. SIGQUIT leaves recovery to the next start. */
async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const force = setTimeout(() => child.kill('SIGQUIT'), LONGEST_ORDERLY_STOP_MS);
  child.kill('SIGINT');
  await exited;
  clearTimeout(force);
}

/**
 * Postgres does not end with its parent. This shell does nothing but hold a pipe from us: when we are gone, however that
 * came, the pipe closes and the shell asks Postgres to shut down.
 */
function endWithUs(pid: number, log: Logger): ChildProcess {
  const script = 'read -r line; kill -INT "$1"';
  return spawn('/bin/sh', ['-c', script, 'plaza-postgres-watch', String(pid)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).on('error', (error) => {
    // The next start finds it, and stops it.
    log.warn({ err: error }, 'Postgres will outlive this process if that is killed');
  });
}
