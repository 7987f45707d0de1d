import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { CorruptLogError } from './errors.js';
import { eachRecord } from './storage/append-frame.js';
import { readAt } from './storage/file-bytes.js';
import { checkFrame, type FrameFormat } from './storage/frame.js';
import { RecordView } from './storage/record.js';
import { formatOfHeader, listSegments, SEGMENT_HEADER_LENGTH, segmentPath } from './storage/segment.js';

/** One file of the copy of a log. */
export interface SegmentCopy {
  readonly name: string;
  /** Its bytes, each frame checked. Valid only until the next ones are asked for. */
  bytes(): AsyncGenerator<Buffer, void>;
}

/** The event that a copy ends with. */
export interface CopiedHead {
  readonly position: number;
  readonly eventId: string;
}

const CHUNK_LENGTH = 4 * 1024 * 1024;

/**
 * Copies the log of a directory up to and with one event, while a store writes to it. What is in front of an event that
 * was ever read is on disk and never changes (see group-writer.ts), so the copy is the log as it was at that event; what
 * comes behind it, torn or not, is not looked at.
 */
export class LogSnapshot {
  #head: CopiedHead | undefined;

  private constructor(
    private readonly dir: string,
    private readonly bases: readonly number[],
    private readonly upTo: number,
  ) {}

  /** `upTo`: position of a committed event. */
  static async of(dir: string, upTo: number): Promise<LogSnapshot> {
    const bases = (await listSegments(dir)).filter((base) => base <= upTo);
    return new LogSnapshot(dir, bases, upTo);
  }

  /** About how many bytes: up to where the last event begins. */
  get length(): number {
    return this.upTo;
  }

  /** The last event; known when the bytes of all segments were read. @throws {CorruptLogError} the event is not there. */
  get head(): CopiedHead {
    if (this.#head?.position !== this.upTo)
      throw new CorruptLogError(this.dir, this.upTo, 'the event to copy up to is not there');
    return this.#head;
  }

  /** In order. Reading one throws {@link CorruptLogError} where acknowledged events cannot be read back. */
  segments(): readonly SegmentCopy[] {
    return this.bases.map((base, index) => {
      const path = segmentPath(this.dir, base);
      const end = this.bases[index + 1];
      return { name: basename(path), bytes: () => this.#read(path, base, end) };
    });
  }

  async *#read(path: string, base: number, end: number | undefined): AsyncGenerator<Buffer, void> {
    const handle = await open(path, 'r');
    try {
      const header = await readAt(handle, 0, SEGMENT_HEADER_LENGTH);
      const format = formatOfHeader(header, path, base);
      if (!format) throw new CorruptLogError(path, 0, 'the segment header is damaged');
      yield header;
      let at = SEGMENT_HEADER_LENGTH;
      let wanted = CHUNK_LENGTH;
      while (!this.#head && base + at !== end) {
        const chunk = await readAt(handle, at, wanted);
        const whole = this.#wholeFrames(chunk, base + at, format);
        if (whole.length === 0 && chunk.length < wanted)
          throw new CorruptLogError(path, at, 'acknowledged events cannot be read back');
        wanted = Math.max(CHUNK_LENGTH, whole.next);
        at += whole.length;
        yield chunk.subarray(0, whole.length);
      }
    } finally {
      await handle.close();
    }
  }

  /** How many bytes of a chunk are whole frames, up to the wanted event; and how many it takes for the one behind them. */
  #wholeFrames(chunk: Buffer, position: number, format: FrameFormat): { length: number; next: number } {
    for (let at = 0; ;) {
      const check = checkFrame(chunk, at, chunk.length, position + at, format);
      if (check.kind === 'partial') return { length: at, next: check.length };
      if (check.kind === 'damaged')
        throw new CorruptLogError(this.dir, position + at, 'acknowledged events cannot be read back');
      const end = at + check.length;
      if (position + end > this.upTo) {
        this.#head = lastOf(chunk, at + format.headerLength, end, format);
        return { length: end, next: 0 };
      }
      at = end;
    }
  }
}

function lastOf(bytes: Buffer, start: number, end: number, format: FrameFormat): CopiedHead | undefined {
  let last: CopiedHead | undefined;
  const view = new RecordView();
  const take = (at: number): void => {
    const { position, id } = view.at(bytes, at);
    last = { position, eventId: id };
  };
  eachRecord(bytes, start, end, take, format);
  return last;
}
