import type { FeedPage } from '../../../../../projections/feed/feed.read-model.js';
import type { Read } from '../../admission/protected-reads.js';
import type { EventStream } from './event-stream.js';
import { Semaphore } from './semaphore.js';

/** Concurrent reads for event streams that are behind; the other database connections stay free for requests. */
const AT_ONCE = 2;

/** The lowest position that the newest shared read has brought its event streams to. */
export interface SharedPosition {
  readonly incarnation: string;
  readonly cursor: number;
}

export interface CatchUpReadsOptions {
  readonly readAlone: (stream: EventStream) => Promise<Read<FeedPage> | undefined>;
  readonly pause: () => Promise<unknown>;
}

/**
 * Reads alone for each event stream that is behind the shared reads: it resumed from an older position, or its client
 * was slow.
 */
export class CatchUpReads {
  sharedPosition: SharedPosition | undefined;
  /** Event streams whose last read ended before the newest change. */
  private readonly incomplete = new WeakSet<EventStream>();
  private readonly slots = new Semaphore(AT_ONCE);

  constructor(private readonly options: CatchUpReadsOptions) {}

  recordRead(stream: EventStream, read: Read<FeedPage> | undefined): void {
    if (read && hasMore(read)) this.incomplete.add(stream);
    else this.incomplete.delete(stream);
  }

  isBehind(stream: EventStream): boolean {
    if (this.incomplete.has(stream)) return true;
    return (
      this.sharedPosition?.incarnation === stream.incarnation && stream.cursor < this.sharedPosition.cursor
    );
  }

  /** Reads for this stream alone until it has reached the shared reads, or its client stops reading. */
  async catchUp(stream: EventStream): Promise<void> {
    while (stream.isReady && this.isBehind(stream)) {
      stream.hasPendingRead = true;
      this.recordRead(stream, await this.slots.run(() => this.options.readAlone(stream)));
      // A stream that has caught up joins the next round without a pause, however frequent rounds are.
      if (this.incomplete.has(stream)) await this.options.pause();
      stream.hasPendingRead = false;
    }
  }
}

export const hasMore = ({ result, revision }: Read<FeedPage>): boolean => result.cursor < revision;
