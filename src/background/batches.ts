import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { ChangeBatch } from '../commands/batch/change-batch.js';
import { ChangeBatchItem } from '../commands/batch/change-batch-item.js';
import type { ItemOutcome } from '../commands/batch/change-batch-item.js';
import type { IdGenerator } from '../base/support/id-generator.js';
import type { BatchRequested } from '../domain/batch/events.js';
import { isServingSql } from '../../projections/incarnations/recovery-state.js';
import type { EventLog } from '../log/event-log.js';
import type { EventMetadata, Recorded } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { ExclusiveTask } from './exclusive-task.js';
import type { ExclusiveTaskOptions } from './exclusive-task.js';

const INTERVAL_MS = 1_000;
/** Items at a time. Between two such groups the batch may be stopped. */
const AT_ONCE = 8;

/** None in a quarantine: the log may lack what happened to the items since. */
const unfinishedBatches = {
  name: 'batches-to-finish',
  text: `
    SELECT batch_id, state FROM authority.batch
    WHERE state IN ('applying', 'undoing') AND ${isServingSql}
    ORDER BY requested_at`,
};

interface UnfinishedBatch {
  readonly batch_id: string;
  readonly state: 'applying' | 'undoing';
}

export interface BatchesOptions extends ExclusiveTaskOptions {
  readonly commands: CommandBus;
  readonly pool: Pool;
  readonly log: EventLog;
  readonly ids: IdGenerator;
}

/**
 * Applies and undoes batches, also those that a killed process left unfinished. Each item is decided by its own stream,
 * so a repetition changes nothing.
 */
export class Batches extends ExclusiveTask {
  protected override readonly lock = 'batches';
  protected override readonly subject = 'batches';

  constructor(private readonly options: BatchesOptions) {
    super(INTERVAL_MS, options);
  }

  protected override async hasWork(): Promise<boolean> {
    return (await this.unfinished()).length > 0;
  }

  protected override async work(): Promise<void> {
    for (const batch of await this.unfinished()) {
      if (this.isStopping) return;
      await this.finish(batch);
    }
  }

  private async unfinished(): Promise<readonly UnfinishedBatch[]> {
    const { rows } = await this.options.pool.query<UnfinishedBatch>(unfinishedBatches);
    return rows;
  }

  private async finish({ batch_id: batchId, state }: UnfinishedBatch): Promise<void> {
    const { commands, log, logger } = this.options;
    const stream = streams.batch(batchId);
    const recorded = await log.read(stream);
    const requested = recorded.find(
      (each): each is Recorded<BatchRequested> => each.event.type === 'batch.requested',
    );
    const decided =
      state === 'applying'
        ? requested
        : recorded.findLast(({ event }) => event.type === 'batch.undo_requested');
    if (!requested || !decided) throw new Error(`the log has no request of batch ${batchId}`);
    const { kind, items } = requested.event.data;
    const step = state === 'applying' ? 'apply' : 'undo';
    const metadata = this.metadataOf(decided.metadata, stream);
    let changed = 0;
    const skipped: string[] = [];
    for (let first = 0; first < items.length; first += AT_ONCE) {
      if (this.isStopping || !(await this.progress(batchId, state, first))) return;
      const group = items.slice(first, first + AT_ONCE);
      const outcomes = await Promise.all(
        group.map((itemId) =>
          commands.execute<ChangeBatchItem, ItemOutcome>(new ChangeBatchItem(kind, itemId, step, metadata)),
        ),
      );
      changed += outcomes.filter((outcome) => outcome === 'changed').length;
      skipped.push(...group.filter((_, n) => outcomes[n] === 'skipped'));
    }
    const data = { batchId, changed, skipped };
    const type = state === 'applying' ? 'batch.applied' : 'batch.undone';
    await commands.execute(new ChangeBatch({ type, data }, metadata));
    logger.info({ batchId, changed, skipped: skipped.length }, `finished a batch: ${type}`);
  }

  /** Names the operator who decided it, and this process' own request. */
  private metadataOf({ operatorId, operator, reason, clientRequestId }: EventMetadata, cause: string) {
    return { requestId: this.options.ids.uuid(), clientRequestId, operatorId, operator, reason, cause };
  }

  /** False: the batch is no longer in this state, because somebody requested its undo. */
  private async progress(batchId: string, state: string, done: number): Promise<boolean> {
    const { rowCount } = await this.options.pool.query(
      'UPDATE authority.batch SET done = $3 WHERE batch_id = $1 AND state = $2',
      [batchId, state, done],
    );
    return rowCount === 1;
  }
}
