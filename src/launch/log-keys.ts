import type { Config } from '../base/config/config.js';
import { localUrl } from './local-url.js';

const TIMEOUT_MS = 2_000;

/** The public log keys of a running network. Undefined: the API does not give them now, and the banner does without. */
export async function logKeysOf({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${localUrl(host, port)}/log/key`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.ok ? (await response.text()).split('\n').filter((key) => key !== '') : undefined;
  } catch {
    return undefined;
  }
}
