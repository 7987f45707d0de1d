import type { EventIndex } from './event-index.js';
import { RECORD_PREFIX_LENGTH } from './frame.js';
import type { SegmentedLog } from './segmented-log.js';

/** Records no farther apart than this are fetched by one read. */
const MAX_GAP = 4 * 1024;
const MAX_READ_LENGTH = 1024 * 1024;

interface Run {
  start: number;
  end: number;
  ordinals: number[];
}

/** Fetches the records of committed events from the log. */
export class RecordReader {
  constructor(
    private readonly index: EventIndex,
    private readonly log: SegmentedLog,
  ) {}

  /** The records of events, in the order of their ordinals as given; neighbours in the log cost one read together. */
  async read(ordinals: readonly number[]): Promise<Buffer[]> {
    const runs = this.#runs(ordinals);
    const [first] = runs;
    if (runs.length === 1 && first) return this.#readRun(first);
    return (await Promise.all(runs.map((run) => this.#readRun(run)))).flat();
  }

  readSync(ordinal: number): Buffer {
    return this.log.readSync(
      this.index.positionOf(ordinal) + RECORD_PREFIX_LENGTH,
      this.index.lengthOf(ordinal),
    );
  }

  #runs(ordinals: readonly number[]): Run[] {
    const runs: Run[] = [];
    let run: Run | undefined;
    for (const ordinal of ordinals) {
      const start = this.index.positionOf(ordinal) + RECORD_PREFIX_LENGTH;
      const end = start + this.index.lengthOf(ordinal);
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
    return run.ordinals.map((ordinal) => {
      const start = this.index.positionOf(ordinal) + RECORD_PREFIX_LENGTH - run.start;
      return bytes.subarray(start, start + this.index.lengthOf(ordinal));
    });
  }
}
