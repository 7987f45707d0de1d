import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StartRefusal } from './child.js';
import { LaunchError } from './launch-error.js';
import { describeExit } from './running-process.js';
import type { RunningProcess } from './running-process.js';

const GRACEFUL_STOP_MS = 12_000;
const START_TIMEOUT_MS = 10 * 60_000;

export class StartRefusedError extends LaunchError {
  constructor(
    message: string,
    readonly reason: StartRefusal,
  ) {
    super(message);
  }
}

export interface ChildOptions {
  readonly name: string;
  readonly entry: URL;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly startTimeoutMs?: number;
  readonly onStarted?: (pid: number) => void;
}

/**
 * Bounds the space of young objects to 48 MB a process, in place of 96 and more: once a load has filled it, V8 keeps it
 * for good. The Dockerfile says the same.
 */
const MEMORY = '--max-semi-space-size=16';

/**
 * Starts a Node process and waits until it tells its parent that it serves (see child.ts). Its output goes to
 * standard error.
 * @throws {StartRefusedError} the process told why it cannot serve. {@link LaunchError} it ended or took too long.
 */
export async function startChild(options: ChildOptions): Promise<RunningProcess> {
  const { name, entry, args, env, signal, startTimeoutMs = START_TIMEOUT_MS, onStarted } = options;
  signal.throwIfAborted();
  const child = fork(fileURLToPath(entry), [...args], {
    env,
    execArgv: [...process.execArgv, MEMORY],
    // A process group of its own: Ctrl-C must reach it only through the launcher, in stop order.
    detached: true,
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
  });
  if (child.pid !== undefined) onStarted?.(child.pid);
  let isTimedOut = false;
  const giveUp = () => void stop(child, exited);
  const timer = setTimeout(() => {
    isTimedOut = true;
    giveUp();
  }, startTimeoutMs);
  signal.addEventListener('abort', giveUp);
  const announcement = announcements(child);
  const earlyExit = await Promise.race([announcement.ready, exited]);
  clearTimeout(timer);
  signal.removeEventListener('abort', giveUp);
  const { pid } = child;
  if (earlyExit === undefined && pid !== undefined)
    return { pid, exited, kill: () => child.kill('SIGKILL'), stop: () => stop(child, exited) };
  if (isTimedOut)
    throw new LaunchError(`${name} took too long to be ready and was stopped; see its log lines above`);
  const message = `${name} ended before it was ready (${earlyExit}); see its log lines above`;
  throw announcement.refusal
    ? new StartRefusedError(message, announcement.refusal)
    : new LaunchError(message);
}

interface Announcement {
  readonly ready: Promise<undefined>;
  refusal: StartRefusal | undefined;
}

function announcements(child: ChildProcess): Announcement {
  const { promise: ready, resolve } = Promise.withResolvers<undefined>();
  const announcement: Announcement = { ready, refusal: undefined };
  child.on('message', (message) => {
    const { type, why } = (message ?? {}) as { type?: unknown; why?: StartRefusal };
    if (type === 'ready') resolve(undefined);
    if (type === 'refusal') announcement.refusal = why;
  });
  return announcement;
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const force = setTimeout(() => child.kill('SIGKILL'), GRACEFUL_STOP_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(force);
}
