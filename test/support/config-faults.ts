import { ConfigError, readConfig } from '../../src/base/config/config.js';

/** Empty: the environment is valid. */
export function configFaultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
