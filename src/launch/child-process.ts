import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Refusal } from './child.js';
import { LaunchError } from './launch-error.js';
import { howItEnded } from './running.js';
import type { Running } from './running.js';

const LONGEST_ORDERLY_STOP_MS = 12_000;
/** An event store that was killed first reads its whole log again. */
const LONGEST_START_MS = 10 * 60_000;

/** A process ended before it was ready, and said why in a way that can be acted on. */
export class Refused extends LaunchError {
  constructor(
    message: string,
    readonly why: Refusal,
  ) {
    super(message);
  }
}

export interface ChildOptions {
  /** For messages: "the API process". */
  readonly name: string;
  readonly entry: URL;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Gives up waiting until the process serves, and ends it. */
  readonly signal: AbortSignal;
  readonly longestStartMs?: number;
  /** Told the process' id as soon as it has one. */
  readonly onStarted?: (pid: number) => void;
}

/** Starts a Node process and waits until it says that it serves (see child.ts). What it prints goes to our stderr. */
export async function startChild(options: ChildOptions): Promise<Running> {
  const { name, entry, args, env, signal, longestStartMs = LONGEST_START_MS, onStarted } = options;
  signal.throwIfAborted();
  const child = fork(fileURLToPath(entry), [...args], {
    env,
    // A group of its own, so that Ctrl-C reaches it only through us, in its turn.
    detached: true,
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(howItEnded(code, signal)));
  });
  if (child.pid !== undefined) onStarted?.(child.pid);
  let isTooLate = false;
  const giveUp = () => void stop(child, exited);
  const timer = setTimeout(() => {
    isTooLate = true;
    giveUp();
  }, longestStartMs);
  signal.addEventListener('abort', giveUp);
  const said = readiness(child);
  const early = await Promise.race([said.ready, exited]);
  clearTimeout(timer);
  signal.removeEventListener('abort', giveUp);
  const { pid } = child;
  if (early === undefined && pid !== undefined)
    return { pid, exited, kill: () => child.kill('SIGKILL'), stop: () => stop(child, exited) };
  if (isTooLate) throw new LaunchError(`${name} took too long to be ready; its log lines above may say why`);
  const message = `${name} ended before it was ready (${early}); its log lines above say why`;
  throw said.refusal ? new Refused(message, said.refusal) : new LaunchError(message);
}

interface Readiness {
  readonly ready: Promise<undefined>;
  refusal: Refusal | undefined;
}

/** What a process says about itself: see child.ts. */
function readiness(child: ChildProcess): Readiness {
  const { promise: ready, resolve } = Promise.withResolvers<undefined>();
  const said: Readiness = { ready, refusal: undefined };
  child.on('message', (message) => {
    const { type, why } = (message ?? {}) as { type?: unknown; why?: Refusal };
    if (type === 'ready') resolve(undefined);
    if (type === 'refusal') said.refusal = why;
  });
  return said;
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const force = setTimeout(() => child.kill('SIGKILL'), LONGEST_ORDERLY_STOP_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(force);
}
