import { sleep } from '../support/sleep.js';

interface Readiness {
  readonly components: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
}

const READY_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 100;

export async function isReady(port: number): Promise<boolean> {
  return (await faultsOf(port)).length === 0;
}

export async function persistentFaults(port: number): Promise<readonly string[]> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const faults = await faultsOf(port);
    if (faults.length === 0 || performance.now() > deadline) return faults;
    await sleep(POLL_INTERVAL_MS);
  }
}

async function faultsOf(port: number): Promise<readonly string[]> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    if (response.ok) return [];
    const { components } = (await response.json()) as Readiness;
    return Object.entries(components).flatMap(([name, { status, reason }]) =>
      status === 'ok' ? [] : [`${name}: ${reason ?? status}`],
    );
  } catch (error) {
    return [`the API does not answer at /readyz: ${(error as Error).message}`];
  }
}
