import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/launch/free-port.js';
import { childProcessIds } from '../src/launch/processes.js';
import { readRunFile } from '../src/launch/run-file.js';
import type { RunFile } from '../src/launch/run-file.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface BenchNetwork {
  readonly baseUrl: string;
  /** From the start of the command until every process serves. */
  readonly secondsToReady: number;
  readonly run: RunFile;
  stop(): Promise<void>;
}

export async function withDataDir<Result>(measure: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plaza-bench-'));
  chmodSync(dataDir, 0o755);
  try {
    return await measure(dataDir);
  } finally {
    const postgres = join(dataDir, 'postgres');
    if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true });
    rmSync(dataDir, { recursive: true });
  }
}

export async function startNetwork(
  dataDir: string,
  command: readonly [string, ...string[]] = [process.execPath, 'bin/plaza.mjs', 'start'],
  settings: NodeJS.ProcessEnv = {},
): Promise<BenchNetwork> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const started = performance.now();
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  const ended = once(child, 'exit');
  while (!readRunFile(dataDir)?.ready) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the network did not start (${child.exitCode ?? child.signalCode})`);
    await pause(10);
  }
  const run = readRunFile(dataDir);
  if (!run) throw new Error('the network ended as soon as it was ready');
  return {
    baseUrl: `http://localhost:${port}`,
    secondsToReady: (performance.now() - started) / 1_000,
    run,
    async stop() {
      process.kill(run.pids.supervisor, 'SIGTERM');
      await ended;
    },
  };
}

/** Starts a further API process with other settings. Returns the network as its clients have it. */
export async function startFurtherApi(
  network: BenchNetwork,
  settings: NodeJS.ProcessEnv,
): Promise<BenchNetwork> {
  const { run } = network;
  const [port, operatorPort] = [await freePort(), await freePort()];
  const child = fork(join(ROOT, 'dist', 'bundle', 'api.js'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      ...run.settings,
      ROLE: 'api',
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      ...settings,
    },
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child, 'message'), ended]);
  if (child.pid === undefined || child.exitCode !== null) throw new Error('a further API did not start');
  return {
    ...network,
    baseUrl: `http://localhost:${port}`,
    run: { ...run, pids: { ...run.pids, api: child.pid } },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A file of a process in proc(5). Undefined: the process has ended. */
export function processFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code)))
      return undefined;
    throw error;
  }
}

/** Proportional set size, which counts shared memory once. Those of `children` count that have not ended. */
export function residentMegabytes(pids: readonly number[], children: readonly number[] = []): number {
  const kilobytes = [...pids, ...children].map((pid) => {
    const rollup = processFile(pid, 'smaps_rollup');
    if (rollup === undefined && pids.includes(pid)) throw new Error(`process ${pid} has ended`);
    return Number(/^Pss:\s+([0-9]+) kB$/m.exec(rollup ?? '')?.[1] ?? 0);
  });
  return Math.round(kilobytes.reduce((sum, size) => sum + size, 0) / 1_024);
}

/** Proportional set size of each process; Postgres with all its children, which no other process lists. */
export function megabytesOfEach({ run: { pids } }: BenchNetwork): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid = 0]) => [
      name,
      residentMegabytes([pid], name === 'postgres' ? childProcessIds(pid) : []),
    ]),
  );
}
