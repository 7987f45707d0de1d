import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Backoff } from './backoff.js';
import { Refused } from './child-process.js';
import type { Running } from './running.js';

/** One process of the network, started again whenever it ends without being asked to. */
export interface SupervisedProcess {
  pid(): number;
  /** Ends it in order, and for good. */
  stop(): Promise<void>;
  /** Ends it by force, and for good. */
  kill(): void;
}

export interface KeepOptions {
  readonly name: string;
  /** Starts it and waits until it serves; gives up when the signal aborts. */
  readonly start: (signal: AbortSignal) => Promise<Running>;
  readonly log: Logger;
  /** Called whenever another process has taken its place. */
  readonly onRestart: () => void;
  /** Called when it ended and no further start will do: that is for a person to mend, as when the first start fails. */
  readonly onLost: (error: Refused) => void;
  /** Aborted when the network is to stop before this process serves. */
  readonly signal: AbortSignal;
}

/** Starts a process and keeps it running. Rejects when the first start fails: that is for a person to mend. */
export async function keepRunning({
  name,
  start,
  log,
  onRestart,
  onLost,
  signal,
}: KeepOptions): Promise<SupervisedProcess> {
  let current = await start(signal);
  const ending = new AbortController();
  const watched = watch();

  async function watch(): Promise<void> {
    const backoff = new Backoff();
    for (;;) {
      const since = performance.now();
      const how = await current.exited;
      if (ending.signal.aborted) return;
      log.error({ part: name, pid: current.pid, how }, 'a process ended unexpectedly; starting it again');
      const next = await startAgain(backoff, performance.now() - since);
      if (!next) return;
      current = next;
      log.info({ part: name, pid: current.pid }, 'the process serves again');
      onRestart();
    }
  }

  async function startAgain(backoff: Backoff, servedMs: number): Promise<Running | undefined> {
    for (let served = servedMs; ; served = 0) {
      try {
        await delay(backoff.next(served), undefined, { signal: ending.signal });
        const next = await start(ending.signal);
        if (!ending.signal.aborted) return next;
        await next.stop();
        return undefined;
      } catch (error) {
        if (ending.signal.aborted) return undefined;
        if (error instanceof Refused && error.why === 'data') {
          onLost(error);
          return undefined;
        }
        log.error({ part: name, err: error }, 'the process did not start; trying again');
      }
    }
  }

  return {
    pid: () => current.pid,
    stop: async () => {
      ending.abort();
      await current.stop();
      // Nor is one left that was being started again at that moment.
      await watched;
    },
    kill: () => {
      ending.abort();
      current.kill();
    },
  };
}
