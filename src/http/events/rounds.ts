import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { Clock } from '../../commands/support/ambient.js';
import type { Read } from '../admission/protected-reads.js';
import type { SharedAnswer } from '../admission/shared-reads.js';
import { HttpRefusal } from '../server/errors.js';
import type { ErrorBody } from '../server/errors.js';
import type { EventStream } from './event-stream.js';
import type { FeedReads } from './feed-reads.js';
import { framesOf, heartbeat } from './frames.js';
import { AutoResetEvent } from './auto-reset-event.js';
import { partiesOf } from './parties.js';
import type { Party } from './parties.js';
import { hasMore, Stragglers } from './stragglers.js';
import type { Front } from './stragglers.js';

/** Tells when there may be something new. */
export interface News {
  subscribe(onNews: () => void): () => void;
}

export interface RoundsOptions {
  readonly news: News;
  readonly clock: Clock;
  readonly reads: Pick<FeedReads, 'read' | 'readAll'>;
  /** What a client is told of a fault. */
  readonly explain: (fault: unknown) => ErrorBody;
}

/** How long what happens at once gathers: no stream asks more often. */
const GATHER_MS = 100;
/** How often streams ask although nothing is new: whether their callers still may listen. It is the heartbeat, too. */
const CHECK_MS = 5_000;
/** Messages that are written before other requests have their turn. */
const SLICE = 20;

/**
 * Reads for all streams of a process: each time that something is new, one statement admits all their callers and tells
 * what changed for each. It pauses as long as it took, so that streams come later, and not everybody else, where there
 * is more to tell than this process can.
 */
export class Rounds {
  private readonly streams = new Set<EventStream>();
  private readonly latch = new AutoResetEvent();
  private readonly stopping = new AbortController();
  private readonly unsubscribe: () => void;
  private isRunning = false;
  private nextCheckAt = 0;
  private readonly stragglers = new Stragglers({
    readAlone: (stream) => this.readAlone(stream),
    rest: () => this.pause(GATHER_MS),
  });

  constructor(private readonly options: RoundsOptions) {
    this.unsubscribe = options.news.subscribe(() => this.latch.ring());
  }

  /** From now on it is read for this stream, until it is closed. @param first what it began with. */
  add(stream: EventStream, first: Read<FeedPage>): void {
    this.streams.add(stream);
    const untilTokenEnds = first.caller && first.caller.expiresAt - this.options.clock.now() + 1;
    const timer =
      untilTokenEnds === undefined
        ? undefined
        : setTimeout(() => this.latch.ring(), Math.max(untilTokenEnds, 0));
    stream.body.once('close', () => {
      clearTimeout(timer);
      this.streams.delete(stream);
    });
    this.stragglers.note(stream, first);
    if (!this.isRunning) void this.run();
  }

  /** Its client has taken what it was told. */
  resume(stream: EventStream): void {
    void this.stragglers.catchUp(stream);
  }

  stop(): void {
    this.unsubscribe();
    this.stopping.abort();
  }

  private async run(): Promise<void> {
    const { clock } = this.options;
    this.isRunning = true;
    this.nextCheckAt = clock.now() + CHECK_MS;
    while (this.streams.size > 0) {
      await this.latch.next(Math.max(this.nextCheckAt - clock.now(), 0), this.stopping.signal);
      if (this.stopping.signal.aborted) break;
      const isCheck = clock.now() >= this.nextCheckAt;
      if (isCheck) this.nextCheckAt = clock.now() + CHECK_MS;
      const begun = performance.now();
      await this.round(isCheck);
      await this.pause(Math.max(GATHER_MS, performance.now() - begun));
    }
    this.isRunning = false;
  }

  private async round(isCheck: boolean): Promise<void> {
    const waiting = [...this.streams].filter((stream) => stream.isWaiting && !this.stragglers.has(stream));
    if (waiting.length > 0) {
      for (const stream of waiting) stream.isReading = true;
      const { answers, late } = await this.options.reads.readAll(partiesOf(waiting));
      void late?.then((latecomers) => this.answer(latecomers, isCheck));
      this.stragglers.front = await this.answer(answers, isCheck);
    }
    // Those that began, or had not taken their last message, when the round was read.
    for (const stream of this.streams) void this.stragglers.catchUp(stream);
  }

  /** How far all of them are then; undefined: all were refused. */
  private async answer(
    answers: Iterable<SharedAnswer<Party, FeedPage>>,
    isCheck: boolean,
  ): Promise<Front | undefined> {
    // What fails for all is explained, and noted, once.
    const reasons = new Map<unknown, ErrorBody>();
    const reasonOf = (fault: unknown) => {
      const reason = reasons.get(fault) ?? this.options.explain(fault);
      reasons.set(fault, reason);
      return reason;
    };
    let front: Front | undefined;
    let written = 0;
    for (const { request, ...answer } of answers) {
      const tell =
        'read' in answer ? this.telling(answer.read, isCheck) : this.ending(reasonOf(answer.fault));
      for (const stream of request.streams) {
        stream.isReading = false;
        tell(stream);
        if (++written % SLICE === 0) await breathe();
      }
      if (!('read' in answer)) continue;
      const { incarnation, result } = answer.read;
      front = { incarnation, cursor: Math.min(result.cursor, front?.cursor ?? Infinity) };
      // All that there is was too much for one statement.
      if (hasMore(answer.read)) this.latch.ring();
    }
    return front;
  }

  /** What is told in the same words to each of a party. */
  private telling(read: Read<FeedPage>, isCheck: boolean): (stream: EventStream) => void {
    const message = framesOf(read.result) || (isCheck ? heartbeat(read.result.cursor) : '');
    return (stream) => this.tell(stream, read, message);
  }

  private ending(reason: ErrorBody): (stream: EventStream) => void {
    return (stream) => this.end(stream, reason);
  }

  private async readAlone(stream: EventStream): Promise<Read<FeedPage> | undefined> {
    try {
      const read = await this.options.reads.read(stream.reader, stream.cursor);
      // It may have waited for its turn longer than a client is to hear nothing.
      this.tell(stream, read, framesOf(read.result) || heartbeat(read.result.cursor));
      return read;
    } catch (fault) {
      this.end(stream, this.options.explain(fault));
      return undefined;
    }
  }

  private tell(stream: EventStream, read: Read<FeedPage>, message: string): void {
    // The headers that the stream began with would not be true of what comes.
    if (read.incarnation === stream.incarnation) stream.moveOn(read, message);
    else this.end(stream, this.options.explain(republished()));
  }

  private end(stream: EventStream, reason: ErrorBody): void {
    this.streams.delete(stream);
    stream.end(reason);
  }

  private pause(ms: number): Promise<unknown> {
    return pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

const republished = () =>
  new HttpRefusal('recovery_publication_changed', 'The network was just republished; connect again.');
