import type { EventLog } from '../log/event-log.js';
import { ExclusiveTask } from './exclusive-task.js';
import type { ExclusiveTaskOptions } from './exclusive-task.js';
import { isOutage } from '../log/witness/outage.js';
import { resolveInDoubt } from '../log/witness/resolve-in-doubt.js';
import type { Witness, WitnessedRestriction } from '../log/witness/witness.js';

const IN_DOUBT_AFTER_MS = 30_000;
const EVERY_MS = 15_000;
const PAGE = 100;

export interface InDoubtResolverOptions extends ExclusiveTaskOptions {
  readonly log: EventLog;
  readonly witness: Witness;
  readonly shown: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now: () => number;
}

/** Resolves restrictions in doubt, at the start and every 15 s. */
export class InDoubtResolver extends ExclusiveTask {
  protected override readonly lock = 'settle';
  protected override readonly subject = 'resolving of restrictions in doubt';

  constructor(private readonly options: InDoubtResolverOptions) {
    super(EVERY_MS, options);
  }

  /**
   * Resolves the restrictions in doubt that were prepared before this time (Unix ms), and withdrawn ones that the read
   * models show, since they entered the log later.
   * @throws {LogUnavailable} {@link WitnessUnavailable} the rest stays in doubt.
   */
  async settleBefore(before: number): Promise<void> {
    const { witness, shown } = this.options;
    await this.resolvePages((epoch) => witness.unsettled(before, epoch, PAGE));
    await this.resolvePages(
      (epoch) => witness.withdrawn(epoch, PAGE),
      (page) => shown(page.map(({ restriction }) => restriction.id)),
    );
  }

  protected override work(): Promise<void> {
    return this.settleBefore(this.options.now() - IN_DOUBT_AFTER_MS);
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
      if (isOutage(error)) throw error;
      logger.error(
        { ...fields, err: error },
        'resolving a restriction in doubt failed: log and witness contradict each other, or its stream is unreadable; an operator must act',
      );
    }
  }
}
