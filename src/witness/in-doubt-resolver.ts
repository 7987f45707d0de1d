import type { Logger } from 'pino';
import { LogUnavailable } from '../log/event-log.js';
import type { EventLog } from '../log/event-log.js';
import { isUnreachable } from '../store/unreachable.js';
import { PeriodicTask } from '../support/periodic-task.js';
import { resolveInDoubt } from './resolve-in-doubt.js';
import type { Witness, WitnessedRestriction } from './witness.js';
import { WitnessUnavailable } from './witness.js';

const IN_DOUBT_AFTER_MS = 30_000;
const EVERY_MS = 15_000;
const PAGE = 100;

export interface InDoubtResolverOptions {
  readonly log: EventLog;
  readonly witness: Witness;
  readonly shown: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Resolves restrictions in doubt, at the start and every 15 s. One process works at a time; the others skip their turn.
 */
export class InDoubtResolver extends PeriodicTask {
  constructor(private readonly options: InDoubtResolverOptions) {
    super(EVERY_MS);
  }

  /**
   * Resolves the restrictions in doubt that were prepared before this time (Unix ms), and withdrawn ones that the read
   * models show, since they entered the log later.
   * @throws {LogUnavailable} {@link WitnessUnavailable} the rest stays in doubt.
   */
  async settleBefore(before: number): Promise<void> {
    await this.options.witness.alone('settle', () => this.resolveAll(before));
  }

  protected override async runOnce(): Promise<void> {
    const { now, logger } = this.options;
    try {
      await this.settleBefore(now() - IN_DOUBT_AFTER_MS);
    } catch (error) {
      if (!isTransient(error))
        logger.error(
          { err: error },
          'resolving restrictions in doubt failed, and not for an outage; trying again later',
        );
      else
        logger.warn(
          { err: error },
          'log, witness or read store unavailable; resolving restrictions in doubt later',
        );
    }
  }

  private async resolveAll(before: number): Promise<void> {
    const { witness, shown } = this.options;
    await this.resolvePages((epoch) => witness.unsettled(before, epoch, PAGE));
    await this.resolvePages(
      (epoch) => witness.withdrawn(epoch, PAGE),
      (page) => shown(page.map(({ restriction }) => restriction.id)),
    );
  }

  private async resolvePages(
    next: (afterEpoch: bigint) => Promise<readonly WitnessedRestriction[]>,
    among?: (page: readonly WitnessedRestriction[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (let last = 0n; ;) {
      const page = await next(last);
      const ids = await among?.(page);
      for (const entry of page) {
        if (this.isStopping) return;
        if (ids?.has(entry.restriction.id) ?? true) await this.resolveOne(entry);
        last = entry.epoch;
      }
      if (page.length < PAGE) return;
    }
  }

  private async resolveOne(entry: WitnessedRestriction): Promise<void> {
    const { log, witness, now, logger } = this.options;
    const { restriction, epoch } = entry;
    const fields = { restriction: restriction.id, type: restriction.event.type, epoch: String(epoch) };
    try {
      const resolution = await resolveInDoubt(log, witness, entry, now());
      if (resolution === 'missing')
        logger.error(
          fields,
          'the log lacks a restriction that the witness has accepted; recover the network',
        );
      else
        logger.info(
          { ...fields, settlement: resolution },
          'resolved a restriction in doubt: finalized if the log has it, else withdrawn',
        );
    } catch (error) {
      if (isTransient(error)) throw error;
      logger.error(
        { ...fields, err: error },
        'resolving a restriction in doubt failed: log and witness contradict each other, or its stream is unreadable; an operator must act',
      );
    }
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof LogUnavailable || error instanceof WitnessUnavailable || isUnreachable(error);
