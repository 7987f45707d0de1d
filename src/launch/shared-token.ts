import { join } from 'node:path';
import { ConfigError } from '../base/config/config.js';
import type { Config } from '../base/config/config.js';
import { ensureSecret } from './secret-file.js';

/** Marks the personal token of an operator, which a network must not take for its shared one. */
export const PERSONAL_TOKEN_PREFIX = 'plop_';

/**
 * Returns the configured shared token, or the one in `DATA_DIR/operator.token`, created if absent.
 * @throws {ConfigError} a personal token is configured.
 */
export function sharedTokenOf({ operatorToken, dataDir }: Pick<Config, 'operatorToken' | 'dataDir'>): string {
  if (operatorToken?.startsWith(PERSONAL_TOKEN_PREFIX) === true)
    throw new ConfigError([
      'OPERATOR_TOKEN: a personal token is for the command line; start the network without it, or with its shared token',
    ]);
  return operatorToken ?? ensureSecret(join(dataDir, 'operator.token'));
}
