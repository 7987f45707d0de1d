import { appendFileSync, chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { acquireDirectory } from '../../src/launch/data-dir.js';
import { hasArguments, waitUntilGone } from '../../src/launch/processes.js';
import { readRun } from '../../src/launch/run-file.js';
import { environment, plaza } from './command.js';
import { removeDataDir } from './data-dir.js';
import { startNetwork } from './network.js';
import type { TestNetwork } from './network.js';
import { undisturbed } from './undisturbed.js';
import { until } from './until.js';

/** For its turn and for somebody else's start, on a machine that may be busy with other tests. */
const MAX_WAIT_MS = 100_000;
const MAX_END_MS = 20_000;

/** A network that others use at the same moment: nobody may stop it, limit it, or count on what is everybody's. */
export type SharedNetwork = Pick<TestNetwork, 'baseUrl' | 'env'>;

/**
 * The network of all specs of a run that speak to it as people and applications of their own, with the settings of
 * {@link startNetwork}. The first who asks starts it, and one that has died is replaced. It ends with the process that
 * started it, or with the run (run.setup.mjs).
 */
export async function sharedNetwork(): Promise<SharedNetwork> {
  const directory = process.env['PLAZA_TEST_RUN'];
  if (directory === undefined)
    throw new Error('a network is shared in a run of tests that run.setup.mjs began');
  // The system gives it back where its holder is killed.
  const release = await until(() => acquireDirectory(directory), MAX_WAIT_MS);
  try {
    const dataDir = join(directory, 'shared-network');
    const network = runningNetwork(dataDir) ?? (await start(dataDir));
    undisturbed.add(network.baseUrl);
    return network;
  } finally {
    release();
  }
}

function runningNetwork(dataDir: string): SharedNetwork | undefined {
  const run = readRun(dataDir);
  // The launcher's id may be a stranger's by now.
  if (!run?.ready || !hasArguments(run.pids.supervisor, plaza, 'start')) return undefined;
  const settings: NodeJS.ProcessEnv = { DATA_DIR: dataDir, RATE_LIMITS: 'off', ...run.settings };
  return { baseUrl: settings['BASE_URL'] ?? '', env: environment(settings) };
}

async function start(dataDir: string): Promise<SharedNetwork> {
  if (existsSync(dataDir)) await removeAbandoned(dataDir);
  mkdirSync(dataDir);
  // Postgres' account has to enter it, whatever the umask is.
  chmodSync(dataDir, 0o755);
  const network = await startNetwork({}, dataDir, (chunk) => appendFileSync(`${dataDir}.log`, chunk));
  network.unref();
  return network;
}

/** What a launcher has left that was killed. Its processes end by themselves. */
async function removeAbandoned(dataDir: string): Promise<void> {
  const pids = Object.values(readRun(dataDir)?.pids ?? {}).filter((pid) => pid !== undefined);
  await Promise.all(pids.map((pid) => waitUntilGone(pid, MAX_END_MS)));
  removeDataDir(dataDir);
}
