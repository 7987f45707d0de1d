import type { Logger } from 'pino';
import { Backoff } from '../base/support/backoff.js';
import { sleep } from '../base/support/sleep.js';
import { StartRefusedError } from './child-process.js';
import type { RunningProcess } from './running-process.js';

const RESTART_MS = { first: 100, longest: 10_000 };
const HEALTHY_AFTER_MS = 60_000;

export interface SupervisedProcess {
  pid(): number;
  stop(): Promise<void>;
  kill(): void;
}

export interface SupervisionOptions {
  readonly name: string;
  readonly start: (signal: AbortSignal) => Promise<RunningProcess>;
  readonly log: Logger;
  readonly onRestart: () => void;
  readonly onLost: (error: StartRefusedError) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts a process, and restarts it whenever it ends. Gives up only if a restart is refused because of its data.
 * @throws the error of the first start, which an operator must fix.
 */
export async function keepRunning({
  name,
  start,
  log,
  onRestart,
  onLost,
  signal,
}: SupervisionOptions): Promise<SupervisedProcess> {
  let current = await start(signal);
  const ending = new AbortController();
  const watching = supervise();

  async function supervise(): Promise<void> {
    const backoff = new Backoff(RESTART_MS);
    for (;;) {
      const since = performance.now();
      const how = await current.exited;
      if (ending.signal.aborted) return;
      log.error(
        { part: name, pid: current.pid, how },
        'a process of the network ended unexpectedly; restarting it',
      );
      if (performance.now() - since > HEALTHY_AFTER_MS) backoff.reset();
      const next = await restart(backoff);
      if (!next) return;
      current = next;
      log.info({ part: name, pid: current.pid }, 'process serves again');
      onRestart();
    }
  }

  async function restart(backoff: Backoff): Promise<RunningProcess | undefined> {
    for (;;) {
      try {
        await sleep(backoff.next(), ending.signal);
        ending.signal.throwIfAborted();
        const next = await start(ending.signal);
        if (!ending.signal.aborted) return next;
        await next.stop();
        return undefined;
      } catch (error) {
        if (ending.signal.aborted) return undefined;
        if (error instanceof StartRefusedError && error.reason === 'data') {
          onLost(error);
          return undefined;
        }
        log.error({ part: name, err: error }, 'a process of the network did not start again; retrying');
      }
    }
  }

  return {
    pid: () => current.pid,
    stop: async () => {
      ending.abort();
      await current.stop();
      await watching;
    },
    kill: () => {
      ending.abort();
      current.kill();
    },
  };
}
