import { once } from 'node:events';
import type { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Clock } from '../../commands/ambient.js';
import type { Read } from '../admission/protected-reads.js';
import { HttpRefusal } from '../errors.js';
import type { ErrorBody } from '../errors.js';
import { end, framesOf, heartbeat, retry } from './frames.js';
import { Latch } from './latch.js';

/** Tells when there may be something new. */
export interface News {
  subscribe(onNews: () => void): () => void;
}

/** A protected read of what is behind a cursor. @throws {HttpRefusal} whoever listens may not any more. */
export type ReadOn = (cursor: number) => Promise<Read<FeedPage>>;

/** How long what happens at once gathers: no stream asks more often. */
const GATHER_MS = 100;
/** How often a stream asks although nothing is new: whether its caller still may listen. It is the heartbeat, too. */
const CHECK_MS = 5_000;
/** How long a message may wait for its client to take it. */
const PATIENCE_MS = 20_000;
const RECONNECT_MS = 2_000;
/** How long streams may take to say goodbye, within the time that the server has to stop. */
const GOODBYE_MS = 1_000;

/** The event streams of this process. Each message is of a read of its own, so that none outlives its authority. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  /** With whose it is. */
  private readonly open = new Map<Readable, string>();
  private readonly stopping = new AbortController();

  /** `explain`: what a client is told of a fault. `mostOpen`: streams of one listener. */
  constructor(
    private readonly news: News,
    private readonly clock: Clock,
    private readonly explain: (fault: unknown) => ErrorBody,
    private readonly mostOpen: number,
  ) {}

  /**
   * Begins with what was read first, and goes on until its client goes or may not listen any more.
   * @param listener whose stream it is, whatever the connection: a caller, or an address without one.
   * @param client closes when the client has gone. The stream itself closes no sooner than it has something to say.
   * @throws {HttpRefusal} `pilot_rate_limited`: the listener has as many open as anybody may have.
   */
  begin(listener: string, first: Read<FeedPage>, readOn: ReadOn, client: EventEmitter): Readable {
    const others = [...this.open.values()].filter((whose) => whose === listener);
    if (others.length >= this.mostOpen)
      throw new HttpRefusal('pilot_rate_limited', 'Too many event streams are open; close one first.');
    const gone = new AbortController();
    client.once('close', () => gone.abort());
    const ended = AbortSignal.any([gone.signal, this.stopping.signal]);
    const tooSlow = () => stream.destroy();
    const stream = Readable.from(impatiently(this.messages(first, readOn, ended), tooSlow), {
      highWaterMark: 1,
    });
    this.open.set(stream, listener);
    stream.on('close', () => this.open.delete(stream));
    return stream;
  }

  /** Tells every client to come back, before the server closes its connections. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    const closed = [...this.open.keys()].map((stream) => once(stream, 'close'));
    await Promise.race([Promise.all(closed), pause(GOODBYE_MS, undefined, { ref: false })]);
  }

  private async *messages(first: Read<FeedPage>, readOn: ReadOn, ended: AbortSignal): AsyncGenerator<string> {
    const latch = new Latch();
    const unsubscribe = this.news.subscribe(() => latch.ring());
    try {
      // Who is cut off before anything happens has to know where to go on, too.
      yield retry(RECONNECT_MS) + (framesOf(first.result) || heartbeat(first.result.cursor));
      let last = first;
      for (let spokeAt = this.clock.now(); !ended.aborted;) {
        if (!hasMore(last)) await latch.next(this.untilCheck(first), ended);
        if (ended.aborted) break;
        const read = await this.read(last, readOn);
        if (typeof read === 'string') return yield read;
        last = read;
        const isQuiet = this.clock.now() - spokeAt < CHECK_MS;
        const message = framesOf(read.result) || (isQuiet ? '' : heartbeat(read.result.cursor));
        if (message !== '') {
          spokeAt = this.clock.now();
          yield message;
        }
        await pause(GATHER_MS, undefined, { signal: ended }).catch(() => undefined);
      }
      yield retry(RECONNECT_MS);
    } finally {
      unsubscribe();
    }
  }

  /** The message to end with, if it cannot be read. */
  private async read(
    { result, incarnation }: Read<FeedPage>,
    readOn: ReadOn,
  ): Promise<Read<FeedPage> | string> {
    try {
      const read = await readOn(result.cursor);
      // The headers that the stream began with would not be true of what comes.
      if (read.incarnation !== incarnation)
        throw new HttpRefusal(
          'recovery_publication_changed',
          'The network was just republished; connect again.',
        );
      return read;
    } catch (fault) {
      return end(this.explain(fault));
    }
  }

  private untilCheck({ caller }: Read<FeedPage>): number {
    return Math.min(CHECK_MS, caller ? Math.max(caller.expiresAt - this.clock.now() + 1, 0) : CHECK_MS);
  }
}

/** Whether the log has more than was looked through. */
const hasMore = ({ result, revision }: Read<FeedPage>): boolean => result.cursor < revision;

/** What a source yields, as fast as it is taken. */
async function* impatiently<T>(source: AsyncIterable<T>, tooSlow: () => void): AsyncGenerator<T> {
  for await (const value of source) {
    const timer = setTimeout(tooSlow, PATIENCE_MS);
    try {
      yield value;
    } finally {
      clearTimeout(timer);
    }
  }
}
