import { Readable } from 'node:stream';
import type { FeedPage } from '../../../../../projections/feed/feed.read-model.js';
import { limits } from '../../../../base/config/limit-settings.js';
import type { Read, ReadRequest } from '../../admission/protected-reads.js';
import { endFrame, framesOf, heartbeat, retryFrame } from './frames.js';
import type { ErrorBody } from '../../../../server/errors.js';

const READ_TIMEOUT_MS = limits.streamReading.idleMs;
const RECONNECT_MS = 2_000;

export type StreamReader = Pick<ReadRequest, 'credential' | 'meter'>;

export class EventStream {
  readonly body: Readable;
  /** A read for this stream is running; no other may start. */
  hasPendingRead = false;
  private latest: Read<FeedPage>;
  private isConsumed = false;
  private isEnded = false;
  private readTimeout: NodeJS.Timeout | undefined;

  /**
   * Sends the first page, or its position if the page is empty. `onConsumed`: called each time the client can take
   * another message.
   */
  constructor(
    readonly reader: StreamReader,
    first: Read<FeedPage>,
    onConsumed: (stream: EventStream) => void,
  ) {
    this.latest = first;
    this.body = new Readable({
      // Backpressure: at most one message is buffered for a client.
      highWaterMark: 1,
      read: () => {
        clearTimeout(this.readTimeout);
        this.isConsumed = true;
        onConsumed(this);
      },
    });
    this.body.once('close', () => {
      this.isEnded = true;
      clearTimeout(this.readTimeout);
    });
    // A client that disconnects before the first event still needs a position to resume from.
    this.send(retryFrame(RECONNECT_MS) + (framesOf(first.result) || heartbeat(first.result.cursor)));
  }

  get isReady(): boolean {
    return this.isConsumed && !this.hasPendingRead && !this.isEnded;
  }

  get cursor(): number {
    return this.latest.result.cursor;
  }

  /** Incarnation that the headers of the stream name. The stream ends when another one is published. */
  get incarnation(): string {
    return this.latest.incarnation;
  }

  advance(read: Read<FeedPage>, message: string): void {
    if (this.isEnded) return;
    this.latest = read;
    if (message !== '') this.send(message);
  }

  /**
   * Ends the stream with a last message: the reason, or, without a reason, the time after which the client reconnects.
   */
  end(reason?: ErrorBody): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.send(reason ? endFrame(reason) : retryFrame(RECONNECT_MS));
    this.body.push(null);
  }

  private send(message: string): void {
    this.isConsumed = false;
    clearTimeout(this.readTimeout);
    this.readTimeout = setTimeout(() => this.body.destroy(), READ_TIMEOUT_MS);
    this.body.push(message);
  }
}
