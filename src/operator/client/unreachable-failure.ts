import type { Config } from '../../base/config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { isAlive } from '../../launch/processes.js';
import { readRunFile } from '../../launch/run-file.js';
import type { RunFile } from '../../launch/run-file.js';
import { Failure } from '../../base/terminal/failure.js';

/**
 * Failure with advice for an operator API at which nothing listens. A starting API process opens no port until it can
 * verify access, and a second `npm start` would not help. Only the machine of the network can tell a starting network
 * from none.
 */
export function unreachableFailure(config: Config, cause: string): Failure {
  const at = `${operatorUrl(config)} (OPERATOR_PORT)`;
  const run = liveRun(config);
  if (!run) return new Failure(`no network answers at ${at}; start one with npm start: ${cause}`);
  return new Failure(
    `the network on ${config.dataDir} (DATA_DIR) ${run.ready ? 'runs, but its API' : 'is starting and'} does not answer at ${at} yet; ` +
      `try again later: after a restore or in a recovery, a worker must first apply the log; see the output of npm start: ${cause}`,
  );
}

/** The live run of this `DATA_DIR` whose operator API is, or will be, at the requested address. */
function liveRun(config: Config): RunFile | undefined {
  const run = readRunFile(config.dataDir);
  if (!run || !isAlive(run.pids.supervisor)) return undefined;
  const { OPERATOR_HOST: operatorHost = '', OPERATOR_PORT: operatorPort } = run.settings;
  const url = operatorUrl({ operatorHost, operatorPort: Number(operatorPort) });
  return url === operatorUrl(config) ? run : undefined;
}
