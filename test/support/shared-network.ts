import { appendFileSync, chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { acquireDirectory } from '../../src/launch/data-dir.js';
import { hasArguments, waitUntilGone } from '../../src/launch/processes.js';
import { readRunFile } from '../../src/launch/run-file.js';
import { environment, plaza } from './command.js';
import { removeDataDir } from './data-dir.js';
import { startNetwork } from './network.js';
import type { TestNetwork } from './network.js';
import { networksWithoutFaults } from './networks-without-faults.js';
import { until } from './until.js';

/** Waiting for the lock and for another spec's start, on a busy machine. */
const MAX_WAIT_MS = 100_000;
const MAX_END_MS = 20_000;

/** A network that other specs use concurrently: do not stop it, limit it, or expect to be alone. */
export type SharedNetwork = Pick<TestNetwork, 'baseUrl' | 'env'>;

/**
 * The network of all specs of a run that need only people and applications of their own, with the settings of {@link
 * startNetwork}. The first spec starts it, and a dead one is replaced. It ends with the process that started it, or with
 * the run (run.setup.mjs).
 */
export async function sharedNetwork(): Promise<SharedNetwork> {
  const directory = process.env['PLAZA_TEST_RUN'];
  if (directory === undefined)
    throw new Error('a network is shared in a run of tests that run.setup.mjs began');
  // The operating system releases it if its holder is killed.
  const release = await until(() => acquireDirectory(directory), MAX_WAIT_MS);
  try {
    const dataDir = join(directory, 'shared-network');
    const network = runningNetwork(dataDir) ?? (await start(dataDir));
    networksWithoutFaults.add(network.baseUrl);
    return network;
  } finally {
    release();
  }
}

function runningNetwork(dataDir: string): SharedNetwork | undefined {
  const run = readRunFile(dataDir);
  // Another process may have got the launcher's id by now.
  if (!run?.ready || !hasArguments(run.pids.supervisor, plaza, 'start')) return undefined;
  const settings: NodeJS.ProcessEnv = { DATA_DIR: dataDir, RATE_LIMITS: 'off', ...run.settings };
  return { baseUrl: settings['BASE_URL'] ?? '', env: environment(settings) };
}

async function start(dataDir: string): Promise<SharedNetwork> {
  if (existsSync(dataDir)) await removeAbandoned(dataDir);
  mkdirSync(dataDir);
  // Postgres' account must enter it, whatever the umask.
  chmodSync(dataDir, 0o755);
  const network = await startNetwork({}, dataDir, (chunk) => appendFileSync(`${dataDir}.log`, chunk));
  network.unref();
  return network;
}

/** Removes the data of a killed launcher, whose processes end by themselves. */
async function removeAbandoned(dataDir: string): Promise<void> {
  const pids = Object.values(readRunFile(dataDir)?.pids ?? {}).filter((pid) => pid !== undefined);
  await Promise.all(pids.map((pid) => waitUntilGone(pid, MAX_END_MS)));
  removeDataDir(dataDir);
}
