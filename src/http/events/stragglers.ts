import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Read } from '../admission/protected-reads.js';
import type { EventStream } from './event-stream.js';
import { Slots } from './slots.js';

/** So many are read for at a time: the rest of the connections is for others. */
const AT_ONCE = 2;

/** How far all streams are for which was read together. */
export interface Front {
  readonly incarnation: string;
  readonly cursor: number;
}

export interface StragglersOptions {
  /** Tells the stream what was read for it alone, or ends it. */
  readonly readAlone: (stream: EventStream) => Promise<Read<FeedPage> | undefined>;
  /** Between two reads for one stream. */
  readonly rest: () => Promise<unknown>;
}

/** Streams that are behind all others, since they resumed from an older position or their clients were slow. */
export class Stragglers {
  /** Undefined: not known yet. */
  front: Front | undefined;
  /** Those that more is known of than they were told. */
  private readonly known = new WeakSet<EventStream>();
  private readonly slots = new Slots(AT_ONCE);

  constructor(private readonly options: StragglersOptions) {}

  /** @param read what the stream was told last. */
  note(stream: EventStream, read: Read<FeedPage> | undefined): void {
    if (read && hasMore(read)) this.known.add(stream);
    else this.known.delete(stream);
  }

  has(stream: EventStream): boolean {
    if (this.known.has(stream)) return true;
    return this.front?.incarnation === stream.incarnation && stream.cursor < this.front.cursor;
  }

  /** Reads for this stream, if it is one of them, until it is as far as the others or its client takes no more. */
  async catchUp(stream: EventStream): Promise<void> {
    while (stream.isWaiting && this.has(stream)) {
      stream.isReading = true;
      this.note(stream, await this.slots.run(() => this.options.readAlone(stream)));
      // Who is as far as the others joins the next round, however often there is one.
      if (this.known.has(stream)) await this.options.rest();
      stream.isReading = false;
    }
  }
}

/** Whether the log has more than was looked through. */
export const hasMore = ({ result, revision }: Read<FeedPage>): boolean => result.cursor < revision;
