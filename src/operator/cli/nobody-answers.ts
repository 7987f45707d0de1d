import type { Config } from '../../config/config.js';
import { operatorUrl } from '../../launch/banner.js';
import { isAlive } from '../../launch/processes.js';
import { readRun } from '../../launch/run-file.js';
import type { Run } from '../../launch/run-file.js';
import { Failure } from './failure.js';

/**
 * What to do where nothing listens. An API process that starts opens no port until it knows who may act, and to start a network
 * twice helps nobody; whether one is there is known on its own machine alone.
 */
export function nobodyAnswers(config: Config, cause: string): Failure {
  const at = `${operatorUrl(config)} (OPERATOR_PORT)`;
  const run = runThatIsAsked(config);
  if (!run) return new Failure(`no network answers at ${at}; start one with npm start: ${cause}`);
  return new Failure(
    `the network on ${config.dataDir} (DATA_DIR) ${run.ready ? 'runs, but its API' : 'is starting and'} does not answer at ${at} yet; ` +
      `try again, after a restore or in a recovery once a worker has been through the log; the output of npm start says what it does: ${cause}`,
  );
}

/** Of a launcher of this directory that is there and serves, or will, where we ask. */
function runThatIsAsked(config: Config): Run | undefined {
  const run = readRun(config.dataDir);
  if (!run || !isAlive(run.pids.supervisor)) return undefined;
  const { OPERATOR_HOST: operatorHost = '', OPERATOR_PORT: operatorPort } = run.settings;
  const serves = operatorUrl({ operatorHost, operatorPort: Number(operatorPort) });
  return serves === operatorUrl(config) ? run : undefined;
}
