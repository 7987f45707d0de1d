import type { Config } from '../../config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { isAlive } from '../../launch/processes.js';
import { readRun } from '../../launch/run-file.js';
import { Failure } from './failure.js';

/**
 * What to do where nothing listens. A network that starts opens no port until it knows who may act, and to start it
 * twice helps nobody; whether it does is known on its own machine alone.
 */
export function nobodyAnswers(config: Config, cause: string): Failure {
  const at = `${operatorUrl(config)} (OPERATOR_PORT)`;
  return new Failure(
    isStarting(config)
      ? `the network on ${config.dataDir} (DATA_DIR) is starting and does not answer at ${at} yet; try again, after a restore ` +
          `once a worker has been through the log; the output of npm start says what it does: ${cause}`
      : `no network answers at ${at}; start one with npm start: ${cause}`,
  );
}

/** Whether a launcher of this directory is there that will serve where we ask. */
function isStarting(config: Config): boolean {
  const run = readRun(config.dataDir);
  if (!run || run.ready || !isAlive(run.pids.supervisor)) return false;
  const { OPERATOR_HOST: operatorHost = '', OPERATOR_PORT: operatorPort } = run.settings;
  return operatorUrl({ operatorHost, operatorPort: Number(operatorPort) }) === operatorUrl(config);
}
