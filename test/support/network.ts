import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { freePort } from '../../src/launch/free-port.js';
import { waitUntilGone, isAlive } from '../../src/launch/processes.js';
import { readRun } from '../../src/launch/run-file.js';
import type { Run } from '../../src/launch/run-file.js';
import { environment, plaza } from './command.js';
import { removeDataDir } from './data-dir.js';
import { dataDirWithCluster } from './postgres.js';
import { until } from './until.js';

const MAX_START_MS = 120_000;
const MAX_STOP_MS = 60_000;

/** A whole network that runs for a test, as `npm start` runs it: the built launcher in processes of its own. */
export interface TestNetwork {
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly dataDir: string;
  /**
   * For a process that is to find this network: the command line, a client of a store. Another after a restart. While it
   * does not run, what it is started with.
   */
  readonly env: NodeJS.ProcessEnv;
  /** What runs now; another after a restart. */
  pids(): Run['pids'];
  /** Everything printed so far, logs included. */
  output(): string;
  /** Ends every process of the network at once, and waits until they are gone. */
  killAll(signal: NodeJS.Signals): Promise<void>;
  /** Ends the launcher alone at once, and waits until it is gone. */
  killLauncher(): Promise<void>;
  /** Stops it in order and leaves its data, for {@link restart}. */
  halt(): Promise<void>;
  /** Stops what runs, if anything does, and starts again on the same data and ports. */
  restart(): Promise<void>;
  /** Lets the test's process end without stopping the network first, which then ends as well. */
  unref(): void;
  /** Stops the network in order and removes its data. Rejects when it does not stop or a process is left. */
  stop(): Promise<void>;
}

/**
 * Starts a network on free ports and waits until it serves. Without a data directory it is a new one, for which Postgres'
 * cluster is already made; with `newDataDir()` it makes that as well. Nobody is told to wait, since a test asks more often
 * from one address than strangers may, unless `settings` have RATE_LIMITS on.
 */
export async function startNetwork(
  settings: NodeJS.ProcessEnv = {},
  existingDataDir?: string,
  onOutput?: (chunk: Buffer) => void,
): Promise<TestNetwork> {
  const dataDir = existingDataDir ?? (await dataDirWithCluster());
  const [port, operatorPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), OPERATOR_PORT: String(operatorPort) };
  const env = environment({ ...ports, DATA_DIR: dataDir, RATE_LIMITS: 'off', ...settings });
  let launcher = launch(env, onOutput);
  const run = (): Run => {
    const found = readRun(dataDir);
    if (!found) throw new Error(`the network does not run\n${launcher.output()}`);
    return found;
  };
  const stopIfRunning = async (): Promise<void> => {
    if (!isRunning(launcher.process)) return;
    const pids = pidsIn(readRun(dataDir)?.pids);
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
      // A frozen process of the network keeps its output open.
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

interface Launcher {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  /** Resolves when the process has ended, and all that it and its processes printed is read. */
  readonly ended: Promise<unknown>;
  output(): string;
  unref(): void;
  ready(dataDir: string): Promise<void>;
}

function launch(env: NodeJS.ProcessEnv, onOutput?: (chunk: Buffer) => void): Launcher {
  const child = spawn(process.execPath, [plaza, 'start'], {
    env,
    // The channel ends the network when the test's process is killed.
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
      const run = readRun(dataDir);
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

function pidsIn(pids: Partial<Run['pids']> = {}): number[] {
  return Object.values(pids).filter((pid) => pid !== undefined);
}

async function waitUntilAllGone(pids: readonly number[], launcher: Launcher): Promise<void> {
  await Promise.all(pids.map((pid) => waitUntilGone(pid, MAX_STOP_MS)));
  const left = pids.filter(isAlive);
  if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}\n${launcher.output()}`);
}
