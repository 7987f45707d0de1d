import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { freePort } from '../../src/launch/free-port.js';
import { waitUntilGone, isAlive } from '../../src/launch/processes.js';
import { readRunFile } from '../../src/launch/run-file.js';
import type { RunFile } from '../../src/launch/run-file.js';
import { environment, plaza } from './command.js';
import { removeDataDir } from './data-dir.js';
import { dataDirWithCluster } from './postgres.js';
import { dataDirFromTemplate } from './templates.js';
import { until } from './until.js';

const MAX_START_MS = 120_000;
const MAX_STOP_MS = 60_000;

/** A whole network as `npm start` runs it: the built launcher with its own processes. */
export interface TestNetwork {
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly dataDir: string;
  /**
   * Environment for other processes of this network: the command line, clients of a store. It changes with a restart. While
   * the network is stopped, it is the environment for its start.
   */
  readonly env: NodeJS.ProcessEnv;
  /** Changes with a restart. */
  pids(): RunFile['pids'];
  /** Everything printed so far, with the logs. */
  output(): string;
  /** Signals all processes, and waits until they have ended. */
  killAll(signal: NodeJS.Signals): Promise<void>;
  /** Kills the launcher alone, and waits until it has ended. */
  killLauncher(): Promise<void>;
  /** Stops it in order and keeps its data, for {@link restart}. */
  halt(): Promise<void>;
  /** Stops it if it runs, and starts it on the same data and ports. */
  restart(): Promise<void>;
  /** Lets the test process end without stopping the network first; the network then ends, too. */
  unref(): void;
  /** Stops it in order and removes its data. Rejects if a process is left. */
  stop(): Promise<void>;
}

/**
 * Starts a network on free ports and waits until it serves. By default it goes on from a template, which is the data of a
 * network that stopped after its first start; with `newDataDir()` it makes everything itself. Limits are off, since a test
 * sends more requests from one address than they allow; `settings` can turn them on.
 */
export async function startNetwork(
  settings: NodeJS.ProcessEnv = {},
  existingDataDir?: string,
  onOutput?: (chunk: Buffer) => void,
): Promise<TestNetwork> {
  const dataDir = existingDataDir ?? (await dataDirFor(settings));
  const [port, operatorPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), OPERATOR_PORT: String(operatorPort) };
  const env = environment({ ...ports, DATA_DIR: dataDir, RATE_LIMITS: 'off', ...settings });
  let launcher = launch(env, onOutput);
  const run = (): RunFile => {
    const found = readRunFile(dataDir);
    if (!found) throw new Error(`the network does not run\n${launcher.output()}`);
    return found;
  };
  const stopIfRunning = async (): Promise<void> => {
    if (!isRunning(launcher.process)) return;
    const pids = pidsIn(readRunFile(dataDir)?.pids);
    launcher.process.kill('SIGTERM');
    await waitUntilAllGone(pids, launcher);
    await launcher.ended;
  };
  try {
    await launcher.ready(dataDir);
  } catch (error) {
    await stopIfRunning();
    removeDataDir(dataDir);
    throw error;
  }
  return {
    baseUrl: run().settings['BASE_URL'] ?? '',
    operatorToken: run().settings['OPERATOR_TOKEN'] ?? '',
    dataDir,
    get env() {
      return isRunning(launcher.process) ? { ...env, ...run().settings } : env;
    },
    pids: () => run().pids,
    output: () => launcher.output(),
    killAll: async (signal) => {
      const pids = pidsIn(run().pids);
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, signal);
      await waitUntilAllGone(pids, launcher);
      await launcher.ended;
    },
    killLauncher: async () => {
      process.kill(run().pids.supervisor, 'SIGKILL');
      // 'exit' and not 'close': a frozen child process keeps the output open.
      await launcher.exited;
    },
    halt: stopIfRunning,
    restart: async () => {
      await stopIfRunning();
      launcher = launch(env, onOutput);
      await launcher.ready(dataDir);
    },
    unref: () => launcher.unref(),
    stop: async () => {
      await stopIfRunning();
      removeDataDir(dataDir);
    },
  };
}

/** A network with a store elsewhere has nothing of its own in there yet. */
function dataDirFor(settings: NodeJS.ProcessEnv): Promise<string> {
  const hasOtherStore = Object.keys(settings).some((name) => /^EVENTSTORE_URL$|DATABASE_URL$/.test(name));
  if (hasOtherStore) return dataDirWithCluster();
  return dataDirFromTemplate('network', async (dataDir) => {
    const first = await startNetwork({}, dataDir);
    await first.halt();
  });
}

interface Launcher {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  /** Resolves when the process has ended and all output is read. */
  readonly ended: Promise<unknown>;
  output(): string;
  unref(): void;
  ready(dataDir: string): Promise<void>;
}

function launch(env: NodeJS.ProcessEnv, onOutput?: (chunk: Buffer) => void): Launcher {
  const child = spawn(process.execPath, [plaza, 'start'], {
    env,
    // The launcher ends when this channel closes, even if the test process is killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  const ended = once(child, 'close');
  let output = '';
  const collectOutput = (chunk: Buffer) => {
    output += chunk.toString();
    onOutput?.(chunk);
  };
  child.stdout?.on('data', collectOutput);
  child.stderr?.on('data', collectOutput);
  const ready = async (dataDir: string): Promise<void> => {
    const isReady = (): boolean => {
      if (!isRunning(child))
        throw new Error(`the network did not start (${child.exitCode ?? child.signalCode})\n${output}`);
      const run = readRunFile(dataDir);
      return run?.ready === true && run.pids.supervisor === child.pid;
    };
    await until(isReady, MAX_START_MS);
  };
  const unref = (): void => {
    child.unref();
    child.channel?.unref();
    for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  };
  return { process: child, exited, ended, output: () => output, unref, ready };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

function pidsIn(pids: Partial<RunFile['pids']> = {}): number[] {
  return Object.values(pids).filter((pid) => pid !== undefined);
}

async function waitUntilAllGone(pids: readonly number[], launcher: Launcher): Promise<void> {
  await Promise.all(pids.map((pid) => waitUntilGone(pid, MAX_STOP_MS)));
  const left = pids.filter(isAlive);
  if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}\n${launcher.output()}`);
}
