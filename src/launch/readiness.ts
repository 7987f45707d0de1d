import type { Config } from '../base/config/config.js';
import { sleep } from '../base/support/sleep.js';
import { localUrl } from './local-url.js';

type Listening = Pick<Config, 'host' | 'port'>;

interface Readiness {
  readonly components: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
}

const READY_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 100;

export async function isReady(api: Listening): Promise<boolean> {
  return (await faultsOf(api)).length === 0;
}

export async function persistentFaults(api: Listening): Promise<readonly string[]> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const faults = await faultsOf(api);
    if (faults.length === 0 || performance.now() > deadline) return faults;
    await sleep(POLL_INTERVAL_MS);
  }
}

async function faultsOf({ host, port }: Listening): Promise<readonly string[]> {
  try {
    const response = await fetch(`${localUrl(host, port)}/readyz`);
    if (response.ok) return [];
    const { components } = (await response.json()) as Readiness;
    return Object.entries(components).flatMap(([name, { status, reason }]) =>
      status === 'ok' ? [] : [`${name}: ${reason ?? status}`],
    );
  } catch (error) {
    return [`the API does not answer at /readyz: ${(error as Error).message}`];
  }
}
