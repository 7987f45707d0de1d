import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Read } from '../admission/protected-reads.js';
import type { EventStream } from './event-stream.js';
import { Semaphore } from './semaphore.js';

/** Concurrent reads for stragglers; the other connections stay free. */
const AT_ONCE = 2;

/** Lowest position of the streams that are read together. */
export interface SharedPosition {
  readonly incarnation: string;
  readonly cursor: number;
}

export interface CatchUpReadsOptions {
  readonly readAlone: (stream: EventStream) => Promise<Read<FeedPage> | undefined>;
  readonly pause: () => Promise<unknown>;
}

/** Streams behind the shared reads: they resumed from an older position, or their clients were slow. */
export class CatchUpReads {
  sharedPosition: SharedPosition | undefined;
  /** Streams whose last read ended before the newest change. */
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

  /** Reads for this straggler until it reaches the others, or its client stops reading. */
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
