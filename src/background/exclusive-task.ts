import type { Client } from 'pg';
import type { Logger } from 'pino';
import { WorkerConnection } from '../../projections/runner/worker-connection.js';
import { PeriodicTask } from '../base/support/periodic-task.js';
import { sleep } from '../base/support/sleep.js';
import { WORK_CHANNEL } from '../base/store/notification-listener.js';
import { isOutage } from '../log/witness/outage.js';

/** Finds what nothing announced: work that is due by its time, or that a process of the release before requested. */
const POLL_MS = 2_000;
export const RETRY_MS = 1_000;

export interface ExclusiveTaskOptions {
  /** The database that has the lock. */
  readonly lockUrl: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Work that only one process at a time does, under a lock of Postgres. The next process that gets the lock goes on where a
 * lost one stopped. After a failure the work is repeated. Of failures in a row the first is logged, and the first that is
 * no outage.
 */
export abstract class ExclusiveTask extends PeriodicTask {
  /** Processes of all releases know the lock by this name, each in the same database. */
  protected abstract readonly lock: string;
  protected abstract readonly subject: string;
  private logged: 'warn' | 'error' | undefined;
  private connection: WorkerConnection | undefined;

  constructor(
    everyMs: number,
    private readonly at: ExclusiveTaskOptions,
  ) {
    super(everyMs);
  }

  /** Asked before the lock is taken. */
  protected hasWork(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** `client`: the session that has the lock. `signal` aborts when the task must stop, or has lost the lock. */
  protected abstract work(client: Client, signal: AbortSignal): Promise<void>;

  /** Also if the lock is lost. */
  protected override get isStopping(): boolean {
    return super.isStopping || this.connection?.lost.aborted === true;
  }

  protected override async runOnce(): Promise<void> {
    try {
      if (await this.hasWork()) await this.underLock();
      this.logged = undefined;
    } catch (error) {
      const level = isOutage(error) ? 'warn' : 'error';
      if (super.isStopping || this.logged === level || this.logged === 'error') return;
      this.logged = level;
      this.at.logger[level]({ err: error }, `${this.subject} interrupted; retrying`);
    }
  }

  private async underLock(): Promise<void> {
    const { lock, stopped } = this;
    stopped.throwIfAborted();
    const connection = new WorkerConnection(this.at.lockUrl, `plaza-${lock.replace('plaza/', '')}`);
    this.connection = connection;
    const signal = AbortSignal.any([stopped, connection.lost]);
    // A server that hangs must not hold up a stop.
    const giveUp = (): void => void connection.close();
    stopped.addEventListener('abort', giveUp);
    try {
      await connection.open();
      const isHeld = await connection.lock(lock, signal);
      stopped.removeEventListener('abort', giveUp);
      if (isHeld && !signal.aborted) await this.work(connection.client, signal);
    } finally {
      stopped.removeEventListener('abort', giveUp);
      await connection.close();
    }
    if (connection.lost.aborted && !stopped.aborted) throw connection.lost.reason;
  }

  /** Repeats `round` until `signal` aborts. After one that had nothing to do and returned false, it waits for requested work. */
  protected async repeat(round: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    let requested = new AbortController();
    await this.connection?.listen([WORK_CHANNEL], () => requested.abort());
    while (!signal.aborted) {
      // Before the round: it may not see what is requested while it runs.
      requested = new AbortController();
      const isBusy = await round();
      this.logged = undefined;
      if (!isBusy) await sleep(POLL_MS, AbortSignal.any([signal, requested.signal]));
    }
  }
}
