import { setImmediate as immediate } from 'node:timers/promises';
import type { Batch, Checkpoint, UndecodedEvent, UndecodedLog } from '../../log/event-log.js';
import { sleep } from '../../base/support/sleep.js';
import { columnsOf, shapeOf } from '../columns/columns.js';
import { applicationNameOf, RowMaker } from '../columns/rows.js';
import type { ApplicationName } from '../columns/rows.js';
import { compact } from '../data-set/compaction.js';
import type { DataSet } from '../data-set/data-set.js';
import { Folding } from '../data-set/folding.js';
import { peopleFileOf } from '../data-set/state.js';
import { writeDataFile } from '../data-set/write-file.js';
import { permitted } from './permission.js';
import type { Freshness } from './freshness.js';
import type { ExportPermission } from './permission.js';
import { RowBuffer } from './row-buffer.js';

const FLUSH_ROWS = 50_000;
const FLUSH_TEXT = 32 * 2 ** 20;
const FLUSH_READ = 20;
export const FLUSH_MS = 10_000;
const CHECK_MS = 30_000;
const BATCH = 2_000;

export interface ExportOptions {
  readonly follow: boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Undefined: the log is not read for an operator. */
  readonly permission?: Pick<ExportPermission, 'obtain'>;
  /** Called after each batch, with the number of events of this run and the position of the newest. */
  readonly onProgress?: (events: number, position: bigint) => void;
  /** Undefined: nobody looks at the age of the data set. */
  readonly freshness?: Freshness;
  /** The export gives up if the log fails for so long. */
  readonly giveUpAfterMs?: number;
  readonly flushRows?: number;
  /** Characters in the texts of buffered rows. */
  readonly flushText?: number;
  readonly flushMs?: number;
  /** With `follow`: the time after which the log is asked whether it has more. */
  readonly checkMs?: number;
}

export interface Exported {
  readonly events: number;
  readonly isComplete: boolean;
}

/**
 * Exports the events after the checkpoint of the data set. Each flush is one commit, so an interrupted export goes on
 * where its last flush ended. Events that were read before a fault are committed.
 * @throws {LogReplaced} {@link LogUnavailable} {@link Failure}
 */
export async function exportEvents(
  log: Pick<UndecodedLog, 'undecoded'>,
  dataSet: DataSet,
  options: ExportOptions,
): Promise<Exported> {
  const run = new ExportRun(dataSet, options);
  const stop = new AbortController();
  const read = log.undecoded({
    after: checkpointOf(dataSet),
    batchSize: Math.min(BATCH, options.flushRows ?? FLUSH_ROWS),
    signal: AbortSignal.any([options.signal, stop.signal]),
    ...(options.giveUpAfterMs !== undefined && { giveUpAfterMs: options.giveUpAfterMs }),
  });
  const batches = options.permission ? permitted(read, options.permission) : read;
  try {
    return await run.readAll(batches[Symbol.asyncIterator]());
  } finally {
    stop.abort();
  }
}

export function checkpointOf({ state: { checkpoint } }: DataSet): Checkpoint | undefined {
  return checkpoint ? { position: BigInt(checkpoint.position), eventId: checkpoint.eventId } : undefined;
}

class ExportRun {
  private readonly rows: RowMaker;
  private readonly buffer: RowBuffer;
  private applications: ApplicationName[] = [];
  private last: Checkpoint | undefined;
  private foldingBegun: Promise<Folding | undefined> | undefined;
  private events = 0;
  private unflushed = 0;
  private bufferedSince = Infinity;
  private askedAt = 0;

  constructor(
    private readonly dataSet: DataSet,
    private readonly options: ExportOptions,
  ) {
    this.rows = new RowMaker(dataSet.key, dataSet.state);
    this.buffer = new RowBuffer(columnsOf(dataSet.state).map(({ name }) => name));
  }

  async readAll(batches: AsyncIterator<Batch<UndecodedEvent>>): Promise<Exported> {
    const { follow, signal } = this.options;
    let next = this.ask(batches);
    let isComplete = false;
    for (;;) {
      let result: Awaited<typeof next> | 'late';
      try {
        result = await this.nextOrLate(next);
        if (result !== 'late' && !result.done) await this.take(result.value);
      } catch (error) {
        await this.flush();
        throw error;
      }
      if (result === 'late') {
        await this.flush();
        await this.compact(false);
        await this.options.freshness?.check();
        continue;
      }
      if (result.done) break;
      isComplete = result.value.caughtUp;
      if ((isComplete && !follow) || signal.aborted) break;
      if (this.isFull()) {
        await this.flush();
        await this.compact(false);
        // Lets signals through while a long log is read.
        await immediate();
      }
      next = this.ask(batches);
    }
    await this.flush();
    if (isComplete && !follow) this.options.freshness?.isComplete(this.askedAt);
    if (isComplete) await this.compact(true);
    return { events: this.events, isComplete };
  }

  /** The log had ended there when it was asked: the answer may come much later. */
  private ask(batches: AsyncIterator<Batch<UndecodedEvent>>) {
    this.askedAt = this.options.now();
    return batches.next();
  }

  private async take({ events }: Batch<UndecodedEvent>): Promise<void> {
    const { since } = this.dataSet.state;
    for (const event of events) {
      const row = this.rows.rowOf(event);
      const application = applicationNameOf(event);
      if (application) this.applications.push(application);
      if (since !== null && row.at < since) (await this.folding())?.fold(row.values);
      else this.buffer.add(row);
      if (event.type === 'account.erased' && (this.foldingBegun ?? peopleFileOf(this.dataSet.state)))
        (await this.folding())?.erase(row.values);
      this.last = { position: event.position, eventId: event.id };
    }
    this.events += events.length;
    this.unflushed += events.length;
    if (events.length > 0 && this.bufferedSince === Infinity) this.bufferedSince = performance.now();
    if (this.last) this.options.onProgress?.(this.events, this.last.position);
  }

  private isFull(): boolean {
    const { flushRows = FLUSH_ROWS, flushText = FLUSH_TEXT } = this.options;
    const isFarAhead = this.unflushed >= FLUSH_READ * flushRows;
    return this.buffer.rows >= flushRows || this.buffer.textLength >= flushText || isFarAhead;
  }

  private folding(): Promise<Folding | undefined> {
    return (this.foldingBegun ??= Folding.begin(this.dataSet));
  }

  private async flush(): Promise<void> {
    this.bufferedSince = Infinity;
    this.unflushed = 0;
    if (!this.last) return;
    const { position, eventId } = this.last;
    const { state, dir } = this.dataSet;
    const added = [...this.buffer.take()].map(([day, data]) =>
      writeDataFile(dir, day, data, 'flush', this.dataSet.writeOptions()),
    );
    this.dataSet.commit('flush', {
      checkpoint: { position: Number(position), eventId },
      applications: [...state.applications, ...this.applications],
      ...(state.checkpoint === null && { shape: shapeOf(state) }),
      ...(await this.foldingBegun)?.write(state.since ?? 0),
      added,
    });
    this.applications = [];
    this.last = undefined;
  }

  private compact(isIdle: boolean): Promise<void> {
    const { now, signal } = this.options;
    return compact(this.dataSet, { isIdle, now, signal });
  }

  private async nextOrLate<T>(next: Promise<T>): Promise<T | 'late'> {
    const { follow, freshness, flushMs = FLUSH_MS, checkMs = CHECK_MS } = this.options;
    const check = follow && freshness ? checkMs : Infinity;
    return this.within(Math.min(this.bufferedSince + flushMs - performance.now(), check), next);
  }

  private async within<T>(ms: number, work: Promise<T>): Promise<T | 'late'> {
    if (ms === Infinity) return work;
    const ended = new AbortController();
    try {
      return await Promise.race([work, sleep(Math.max(0, ms), ended.signal).then(() => 'late' as const)]);
    } finally {
      ended.abort();
    }
  }
}
