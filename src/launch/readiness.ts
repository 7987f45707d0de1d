import { setTimeout as pause } from 'node:timers/promises';

interface Readiness {
  readonly components: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
}

/** Processes that have just started find each other within moments. */
const LONGEST_WAIT_MS = 5_000;
const PAUSE_MS = 100;

/** Whether the network on this port is ready to serve. */
export async function isReady(port: number): Promise<boolean> {
  return (await faultsOf(port)).length === 0;
}

/** What keeps it from being ready, a line each, if it has not become so within moments. */
export async function lastingFaults(port: number): Promise<readonly string[]> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const faults = await faultsOf(port);
    if (faults.length === 0 || performance.now() > giveUpAt) return faults;
    await pause(PAUSE_MS);
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
    return [`the API does not say whether it is ready: ${(error as Error).message}`];
  }
}
