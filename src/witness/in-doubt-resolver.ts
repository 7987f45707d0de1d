import type { Logger } from 'pino';
import { LogUnavailable } from '../log/event-log.js';
import type { EventLog } from '../log/event-log.js';
import { isUnreachable } from '../store/unreachable.js';
import { PeriodicTask } from '../support/periodic-task.js';
import { resolveInDoubt } from './resolve-in-doubt.js';
import type { Witness, Witnessed } from './witness.js';
import { WitnessUnavailable } from './witness.js';

/** Longer than whoever writes a restriction may take: what is younger may be under way. */
const LEFT_AFTER_MS = 30_000;
const EVERY_MS = 15_000;
const PAGE = 100;

export interface InDoubtResolverOptions {
  /** The log itself: what is settled is no new restriction. */
  readonly log: EventLog;
  readonly witness: Witness;
  /** Those of these events that the read models show, which is sooner asked than the log. */
  readonly shown: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Settles what processes left half-way: at once, and again and again. One process at a time; the others step aside. */
export class InDoubtResolver extends PeriodicTask {
  constructor(private readonly options: InDoubtResolverOptions) {
    super(EVERY_MS);
  }

  /**
   * Settles all that was prepared before that time (Unix ms), and what came into the log after it was withdrawn.
   * @throws {LogUnavailable} {@link WitnessUnavailable} the rest is left.
   */
  async settleBefore(before: number): Promise<void> {
    await this.options.witness.alone('settle', () => this.settleAll(before));
  }

  protected override async once(): Promise<void> {
    const { now, logger } = this.options;
    try {
      await this.settleBefore(now() - LEFT_AFTER_MS);
    } catch (error) {
      if (!isPassing(error)) logger.error({ err: error }, 'restrictions cannot be settled');
      else logger.warn({ err: error }, 'restrictions are settled later');
    }
  }

  private async settleAll(before: number): Promise<void> {
    const { witness, shown } = this.options;
    await this.settleEach((epoch) => witness.unsettled(before, epoch, PAGE));
    await this.settleEach(
      (epoch) => witness.withdrawn(epoch, PAGE),
      (page) => shown(page.map(({ restriction }) => restriction.id)),
    );
  }

  /** Page by page. `among`: ids of those of a page that are to be settled; undefined: all. */
  private async settleEach(
    next: (afterEpoch: bigint) => Promise<readonly Witnessed[]>,
    among?: (page: readonly Witnessed[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (let last = 0n; ;) {
      const page = await next(last);
      const ids = await among?.(page);
      for (const entry of page) {
        if (this.isStopping) return;
        if (ids?.has(entry.restriction.id) ?? true) await this.settleOne(entry);
        last = entry.epoch;
      }
      if (page.length < PAGE) return;
    }
  }

  /** What contradicts the witness, or cannot be read, keeps nothing else from being settled. */
  private async settleOne(entry: Witnessed): Promise<void> {
    const { log, witness, now, logger } = this.options;
    const { restriction, epoch } = entry;
    const about = { restriction: restriction.id, type: restriction.event.type, epoch: String(epoch) };
    try {
      const settlement = await resolveInDoubt(log, witness, entry, now());
      if (settlement === 'left') logger.error(about, 'the log lacks a restriction that was accepted');
      else logger.info({ ...about, settlement }, 'settled a restriction that was left half-way');
    } catch (error) {
      if (isPassing(error)) throw error;
      logger.error({ ...about, err: error }, 'a restriction cannot be settled');
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof LogUnavailable || error instanceof WitnessUnavailable || isUnreachable(error);
