import type { Logger } from 'pino';
import { PeriodicTask } from '../../base/support/periodic-task.js';
import { isOutage } from './outage.js';
import { WitnessRequired } from './witness.js';
import type { Witness } from './witness.js';

export interface ExclusiveTaskOptions {
  readonly witness: Witness;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Work that only one process at a time does, under a lock of the witness. After a failure it is repeated. Of failures in a
 * row the first is logged, and the first that is no outage.
 */
export abstract class ExclusiveTask extends PeriodicTask {
  /** Processes of all releases know the lock by this name. */
  protected abstract readonly lock: string;
  protected abstract readonly subject: string;
  private logged: 'warn' | 'error' | undefined;

  constructor(
    everyMs: number,
    private readonly shared: ExclusiveTaskOptions,
  ) {
    super(everyMs);
  }

  /** Asked before the lock is taken. */
  protected hasWork(): Promise<boolean> {
    return Promise.resolve(true);
  }

  protected abstract work(): Promise<void>;

  protected override async runOnce(): Promise<void> {
    const { witness, logger } = this.shared;
    try {
      if (await this.hasWork()) await witness.alone(this.lock, () => this.work());
      this.logged = undefined;
    } catch (error) {
      // A network without a witness says so at its start, and each restriction is refused there.
      if (error instanceof WitnessRequired) return;
      const level = isOutage(error) ? 'warn' : 'error';
      if (this.logged === level || this.logged === 'error') return;
      this.logged = level;
      logger[level]({ err: error }, `${this.subject} interrupted; retrying`);
    }
  }
}
