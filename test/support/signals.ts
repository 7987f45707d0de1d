import type { TestNetwork } from './network.js';

/** Signals a process of the network if it runs. Never id 0, which would be the whole process group of the test. */
export function signal(network: TestNetwork | undefined, name: 'worker' | 'api', what: NodeJS.Signals): void {
  const pid = network?.pids()[name];
  if (pid !== undefined) process.kill(pid, what);
}

export const freezeWorker = (network: TestNetwork | undefined): void => signal(network, 'worker', 'SIGSTOP');

export const thawWorker = (network: TestNetwork | undefined): void => signal(network, 'worker', 'SIGCONT');
