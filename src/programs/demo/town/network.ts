import { readConfig } from '../../../base/config/config.js';
import type { Config } from '../../../base/config/config.js';
import { terminal } from '../../../base/terminal/terminal.js';
import { isAlive } from '../../../launch/processes.js';
import { readRunFile } from '../../../launch/run-file.js';
import { accountName } from '../../../operator/client/command-options.js';
import type { OperatorOptions } from '../../../operator/client/command-options.js';
import { OperatorClient } from '../../../operator/client/operator-client.js';

export interface DemoNetwork {
  readonly config: Config;
  readonly operator: OperatorClient;
}

/** The network that runs on this `DATA_DIR`, whatever its ports are; without one, the network of the settings. */
export function demoNetwork({ as }: OperatorOptions): DemoNetwork {
  const { env } = terminal();
  const run = readRunFile(readConfig().dataDir);
  const { OPERATOR_TOKEN, REFERENCE_APP_PORT } = env;
  const own = {
    ...(OPERATOR_TOKEN && { OPERATOR_TOKEN }),
    ...(REFERENCE_APP_PORT && { REFERENCE_APP_PORT }),
  };
  const config = run && isAlive(run.pids.supervisor) ? readConfig({ ...run.settings, ...own }) : readConfig();
  return { config, operator: new OperatorClient(config, as ?? accountName()) };
}
