import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { CorruptLogError } from './errors.js';
import { eachRecord } from './storage/append-frame.js';
import { readBytesAt } from './storage/file-bytes.js';
import { checkFrame, type FrameFormat } from './storage/frame.js';
import { RecordView } from './storage/record.js';
import { formatOfHeader, listSegments, SEGMENT_HEADER_LENGTH, segmentPath } from './storage/segment.js';

export interface SegmentCopy {
  readonly name: string;
  /** Yields the header, then frames whose checksums were verified. A buffer is valid only until the next one. */
  bytes(): AsyncGenerator<Buffer, void>;
}

export interface CopiedHead {
  readonly position: number;
  readonly eventId: string;
}

const CHUNK_LENGTH = 4 * 1024 * 1024;

/**
 * Copies the log up to and including one event, for a backup, while a store writes to it. All bytes up to an event
 * that readers see are durable and never change (group-writer.ts). Later bytes are not copied.
 */
export class LogSnapshot {
  #head: CopiedHead | undefined;

  private constructor(
    private readonly dir: string,
    private readonly bases: readonly number[],
    private readonly upTo: number,
  ) {}

  static async of(dir: string, upTo: number): Promise<LogSnapshot> {
    const bases = (await listSegments(dir)).filter((base) => base <= upTo);
    return new LogSnapshot(dir, bases, upTo);
  }

  get length(): number {
    return this.upTo;
  }

  /**
   * The last event of the copy, known once all segments were read.
   * @throws {CorruptLogError} it is not the event to copy up to
   */
  get head(): CopiedHead {
    if (this.#head?.position !== this.upTo)
      throw new CorruptLogError(
        this.dir,
        this.upTo,
        'a backup did not find the event that its copy of the log must end with',
      );
    return this.#head;
  }

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
      const header = await readBytesAt(handle, 0, SEGMENT_HEADER_LENGTH);
      const format = formatOfHeader(header, path, base);
      if (!format)
        throw new CorruptLogError(path, 0, 'a backup found the header of this segment file damaged');
      yield header;
      let at = SEGMENT_HEADER_LENGTH;
      let wanted = CHUNK_LENGTH;
      while (!this.#head && base + at !== end) {
        const chunk = await readBytesAt(handle, at, wanted);
        const whole = this.#wholeFrames(chunk, base + at, format);
        if (whole.length === 0 && chunk.length < wanted)
          throw new CorruptLogError(
            path,
            at,
            'a backup found that this segment file ends before the last event to copy',
          );
        wanted = Math.max(CHUNK_LENGTH, whole.next);
        at += whole.length;
        yield chunk.subarray(0, whole.length);
      }
    } finally {
      await handle.close();
    }
  }

  /**
   * Returns the length of the whole frames in `chunk`, up to the one with the last event to copy, and the length of
   * the frame after them.
   */
  #wholeFrames(chunk: Buffer, position: number, format: FrameFormat): { length: number; next: number } {
    for (let at = 0; ;) {
      const check = checkFrame(chunk, at, chunk.length, position + at, format);
      if (check.kind === 'partial') return { length: at, next: check.length };
      if (check.kind === 'damaged')
        throw new CorruptLogError(this.dir, position + at, 'a backup found acknowledged events damaged');
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
