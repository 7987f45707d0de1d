import { ConfigError, readConfig } from '../../src/config/config.js';

/** The faults that are found in an environment; empty: it can be used. */
export function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
