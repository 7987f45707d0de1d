import type { Client } from 'pg';
import type { Logger } from 'pino';
import { sleep } from '../../src/base/support/sleep.js';
import { WorkerConnection } from './worker-connection.js';

const POLL_MS = 500;
export const RETRY_MS = 1_000;

export interface LockedRounds {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Workers of all releases know the lock by it, as `plaza/NAME`. */
  readonly name: string;
  readonly subject: string;
  /** On the connection that holds the lock, until `signal` aborts. False: there was nothing to do. */
  readonly round: (client: Client, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Repeats `round` until `stop` aborts, on one worker at a time: the next worker that gets the lock goes on where a lost one
 * stopped.
 */
export async function repeatUnderLock(options: LockedRounds, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await session(options, stop);
    } catch (error) {
      if (stop.aborted) return;
      options.logger.warn({ err: error }, `${options.subject} interrupted; retrying`);
      await sleep(RETRY_MS, stop);
    }
  }
}

async function session({ databaseUrl, name, round }: LockedRounds, stop: AbortSignal): Promise<void> {
  const connection = await WorkerConnection.open(databaseUrl, `plaza-${name}`);
  const signal = AbortSignal.any([stop, connection.lost]);
  try {
    if (!(await connection.lock(`plaza/${name}`, signal, () => undefined))) return;
    while (!signal.aborted) if (!(await round(connection.client, signal))) await sleep(POLL_MS, signal);
  } finally {
    await connection.close();
  }
  if (connection.lost.aborted && !stop.aborted) throw connection.lost.reason;
}
