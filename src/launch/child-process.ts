import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LaunchError } from './launch-error.js';
import { howItEnded } from './running.js';
import type { Running } from './running.js';

const LONGEST_ORDERLY_STOP_MS = 12_000;

export interface ChildOptions {
  /** For messages: "the API process". */
  readonly name: string;
  readonly entry: URL;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Gives up waiting until the process serves, and ends it. */
  readonly signal: AbortSignal;
}

/** Starts a Node process and waits until it says that it serves (see child.ts). What it prints goes to our stderr. */
export async function startChild({ name, entry, args, env, signal }: ChildOptions): Promise<Running> {
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
  const giveUp = () => void stop(child, exited);
  signal.addEventListener('abort', giveUp);
  const early = await Promise.race([isReady(child), exited]);
  signal.removeEventListener('abort', giveUp);
  const { pid } = child;
  if (early !== undefined || pid === undefined)
    throw new LaunchError(`${name} ended before it was ready (${early}); its log lines above say why`);
  return { pid, exited, kill: () => child.kill('SIGKILL'), stop: () => stop(child, exited) };
}

function isReady(child: ChildProcess): Promise<undefined> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if ((message as { type?: unknown } | null)?.type === 'ready') resolve(undefined);
    });
  });
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const force = setTimeout(() => child.kill('SIGKILL'), LONGEST_ORDERLY_STOP_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(force);
}
