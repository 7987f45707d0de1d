import { Readable } from 'node:stream';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Read, ReadRequest } from '../admission/protected-reads.js';
import { end, framesOf, heartbeat, retry } from './frames.js';
import type { ErrorBody } from '../server/errors.js';

/** How long a message may wait for its client to take it. */
const PATIENCE_MS = 20_000;
const RECONNECT_MS = 2_000;

/** Whose read an answer is. */
export type Reader = Pick<ReadRequest, 'credential' | 'meter'>;

/** One open stream: where it stands, and whether its client has taken what it was told. */
export class EventStream {
  /** What is sent. It closes when its client has gone. */
  readonly body: Readable;
  /** Something reads for it: nothing else may meanwhile. */
  isReading = false;
  /** What it was told last. */
  private read: Read<FeedPage>;
  private isTaken = false;
  private isEnded = false;
  private impatience: NodeJS.Timeout | undefined;

  /** Its first message says where it begins. `onTaken`: its client has taken everything. */
  constructor(
    readonly reader: Reader,
    first: Read<FeedPage>,
    onTaken: (stream: EventStream) => void,
  ) {
    this.read = first;
    this.body = new Readable({
      // Nothing is held for a client that has not taken what came before.
      highWaterMark: 1,
      read: () => {
        clearTimeout(this.impatience);
        this.isTaken = true;
        onTaken(this);
      },
    });
    this.body.once('close', () => {
      this.isEnded = true;
      clearTimeout(this.impatience);
    });
    // Who is cut off before anything happens has to know where to go on, too.
    this.say(retry(RECONNECT_MS) + (framesOf(first.result) || heartbeat(first.result.cursor)));
  }

  /** Whether it can be told something. */
  get isWaiting(): boolean {
    return this.isTaken && !this.isReading && !this.isEnded;
  }

  get cursor(): number {
    return this.read.result.cursor;
  }

  /** Of which all that it is told must be: its headers are true of no other. */
  get incarnation(): string {
    return this.read.incarnation;
  }

  /** Goes on to what was read. `message`: in words of the stream; empty: nothing to say. */
  moveOn(read: Read<FeedPage>, message: string): void {
    if (this.isEnded) return;
    this.read = read;
    if (message !== '') this.say(message);
  }

  /** The last message; undefined: come back later. */
  end(reason?: ErrorBody): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.say(reason ? end(reason) : retry(RECONNECT_MS));
    this.body.push(null);
  }

  private say(message: string): void {
    this.isTaken = false;
    clearTimeout(this.impatience);
    this.impatience = setTimeout(() => this.body.destroy(), PATIENCE_MS);
    this.body.push(message);
  }
}
