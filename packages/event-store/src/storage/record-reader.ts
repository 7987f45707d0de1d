import type { EventIndex } from './event-index.js';
import { verifyRecord } from './frame.js';
import { DamagedEventError } from '../errors.js';
import type { SegmentedLog } from './segmented-log.js';

const MAX_GAP = 4 * 1024;
const MAX_READ_LENGTH = 1024 * 1024;

interface Run {
  start: number;
  end: number;
  ordinals: number[];
}

/**
 * Reads the records of durable events from the log and verifies their checksums.
 * @throws {DamagedEventError}
 */
export class RecordReader {
  constructor(
    private readonly index: EventIndex,
    private readonly log: SegmentedLog,
    private readonly onDamaged: (error: DamagedEventError) => void,
  ) {}

  /** Returns records in the order of `ordinals`. Records that lie close together in the log share one read. */
  async read(ordinals: readonly number[]): Promise<Buffer[]> {
    const runs = this.#runs(ordinals);
    const [first] = runs;
    if (runs.length === 1 && first) return this.#readRun(first);
    return (await Promise.all(runs.map((run) => this.#readRun(run)))).flat();
  }

  readSync(ordinal: number): Buffer {
    const [start, end] = this.#placeOf(ordinal);
    const bytes = this.log.readSync(start, end - start);
    if (!bytes) throw this.#damage(start);
    return this.#checked(bytes, start);
  }

  #placeOf(ordinal: number): [start: number, end: number] {
    const start = this.index.positionOf(ordinal);
    const { recordPrefixLength } = this.log.formatAt(start);
    return [start, start + recordPrefixLength + this.index.lengthOf(ordinal)];
  }

  #checked(bytes: Buffer, position: number): Buffer {
    const record = verifyRecord(bytes, this.log.formatAt(position));
    if (record) return record;
    throw this.#damage(position);
  }

  #damage(position: number): DamagedEventError {
    const error = new DamagedEventError(position);
    this.onDamaged(error);
    return error;
  }

  #runs(ordinals: readonly number[]): Run[] {
    const runs: Run[] = [];
    let run: Run | undefined;
    for (const ordinal of ordinals) {
      const [start, end] = this.#placeOf(ordinal);
      if (run && this.#extends(run, start, end)) {
        run.start = Math.min(run.start, start);
        run.end = Math.max(run.end, end);
        run.ordinals.push(ordinal);
      } else {
        run = { start, end, ordinals: [ordinal] };
        runs.push(run);
      }
    }
    return runs;
  }

  #extends(run: Run, start: number, end: number): boolean {
    const gap = start >= run.end ? start - run.end : run.start - end;
    const length = Math.max(run.end, end) - Math.min(run.start, start);
    return gap <= MAX_GAP && length <= MAX_READ_LENGTH && this.log.sameSegment(run.start, start);
  }

  async #readRun(run: Run): Promise<Buffer[]> {
    const bytes = await this.log.read(run.start, run.end - run.start);
    if (!bytes) throw this.#damage(run.start);
    return run.ordinals.map((ordinal) => {
      const [start, end] = this.#placeOf(ordinal);
      return this.#checked(bytes.subarray(start - run.start, end - run.start), start);
    });
  }
}
