import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FeedPage } from '../../../../../projections/feed/feed.read-model.js';
import type { Clock } from '../../../../base/support/clock.js';
import { sleep } from '../../../../base/support/sleep.js';
import type { Read } from '../../admission/protected-reads.js';
import type { SharedAnswer } from '../../admission/shared-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import type { ErrorBody } from '../../../../server/errors.js';
import type { EventStream } from './event-stream.js';
import type { FeedReads } from './feed-reads.js';
import { framesOf, heartbeat } from './frames.js';
import { AutoResetEvent } from './auto-reset-event.js';
import { groupStreams } from './stream-groups.js';
import type { StreamGroup } from './stream-groups.js';
import { hasMore, CatchUpReads } from './catch-up-reads.js';
import type { SharedPosition } from './catch-up-reads.js';

export interface ChangeSignal {
  subscribe(onNews: () => void): () => void;
}

export interface SharedReadLoopOptions {
  readonly changes: ChangeSignal;
  readonly clock: Clock;
  readonly reads: Pick<FeedReads, 'read' | 'readAll'>;
  readonly explain: (fault: unknown) => ErrorBody;
}

/** Shortest pause between two shared reads, so that changes are sent in batches. */
const BATCH_MS = 100;
/** Interval of heartbeats to event streams. Each one also checks that the callers still have access. */
const CHECK_MS = 5_000;
/** Messages to event streams after which other requests of the process get a turn. */
const YIELD_EVERY = 20;

/**
 * Reads the feed for the open event streams of a process. After each signal, one statement checks the access of all
 * their callers and returns the changes of each. A pause at least as long as that read follows, so that an overloaded
 * process delays streams rather than other requests.
 */
export class SharedReadLoop {
  private readonly streams = new Set<EventStream>();
  private readonly wakeUp = new AutoResetEvent();
  private readonly stopping = new AbortController();
  private readonly unsubscribe: () => void;
  private isRunning = false;
  private nextCheckAt = 0;
  private readonly stragglers = new CatchUpReads({
    readAlone: (stream) => this.readAlone(stream),
    pause: () => this.pause(BATCH_MS),
  });

  constructor(private readonly options: SharedReadLoopOptions) {
    this.unsubscribe = options.changes.subscribe(() => this.wakeUp.set());
  }

  add(stream: EventStream, first: Read<FeedPage>): void {
    this.streams.add(stream);
    const untilTokenEnds = first.caller && first.caller.expiresAt - this.options.clock.now() + 1;
    const timer =
      untilTokenEnds === undefined
        ? undefined
        : setTimeout(() => this.wakeUp.set(), Math.max(untilTokenEnds, 0));
    stream.body.once('close', () => {
      clearTimeout(timer);
      this.streams.delete(stream);
    });
    this.stragglers.recordRead(stream, first);
    if (!this.isRunning) void this.run();
  }

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
      await this.wakeUp.wait(Math.max(this.nextCheckAt - clock.now(), 0), this.stopping.signal);
      if (this.stopping.signal.aborted) break;
      const isCheck = clock.now() >= this.nextCheckAt;
      if (isCheck) this.nextCheckAt = clock.now() + CHECK_MS;
      const startedAt = performance.now();
      await this.round(isCheck);
      await this.pause(Math.max(BATCH_MS, performance.now() - startedAt));
    }
    this.isRunning = false;
  }

  private async round(isCheck: boolean): Promise<void> {
    const waiting = [...this.streams].filter((stream) => stream.isReady && !this.stragglers.isBehind(stream));
    if (waiting.length > 0) {
      for (const stream of waiting) stream.hasPendingRead = true;
      const { answers, delayed } = await this.options.reads.readAll(groupStreams(waiting));
      void delayed?.then((latecomers) => this.answer(latecomers, isCheck));
      this.stragglers.sharedPosition = await this.answer(answers, isCheck);
    }
    // Streams that started, or were waiting for their client, while the round was read.
    for (const stream of this.streams) void this.stragglers.catchUp(stream);
  }

  /**
   * Sends the answers of a shared read to their streams. Returns the lowest position among them; undefined if every
   * caller was refused.
   */
  private async answer(
    answers: Iterable<SharedAnswer<StreamGroup, FeedPage>>,
    isCheck: boolean,
  ): Promise<SharedPosition | undefined> {
    // A common fault is explained and logged once.
    const reasons = new Map<unknown, ErrorBody>();
    const reasonOf = (fault: unknown) => {
      const reason = reasons.get(fault) ?? this.options.explain(fault);
      reasons.set(fault, reason);
      return reason;
    };
    let front: SharedPosition | undefined;
    let written = 0;
    for (const { request, ...answer } of answers) {
      const deliver =
        'read' in answer ? this.deliveryOf(answer.read, isCheck) : this.endOf(reasonOf(answer.fault));
      for (const stream of request.streams) {
        stream.hasPendingRead = false;
        deliver(stream);
        if (++written % YIELD_EVERY === 0) await yieldToEventLoop();
      }
      if (!('read' in answer)) continue;
      const { incarnation, result } = answer.read;
      front = { incarnation, cursor: Math.min(result.cursor, front?.cursor ?? Infinity) };
      if (hasMore(answer.read)) this.wakeUp.set();
    }
    return front;
  }

  private deliveryOf(read: Read<FeedPage>, isCheck: boolean): (stream: EventStream) => void {
    const message = framesOf(read.result) || (isCheck ? heartbeat(read.result.cursor) : '');
    return (stream) => this.send(stream, read, message);
  }

  private endOf(reason: ErrorBody): (stream: EventStream) => void {
    return (stream) => this.end(stream, reason);
  }

  private async readAlone(stream: EventStream): Promise<Read<FeedPage> | undefined> {
    try {
      const read = await this.options.reads.read(stream.reader, stream.cursor);
      // The read may have waited longer than a heartbeat interval.
      this.send(stream, read, framesOf(read.result) || heartbeat(read.result.cursor));
      return read;
    } catch (fault) {
      this.end(stream, this.options.explain(fault));
      return undefined;
    }
  }

  private send(stream: EventStream, read: Read<FeedPage>, message: string): void {
    // The headers of the stream name the earlier incarnation.
    if (read.incarnation === stream.incarnation) stream.advance(read, message);
    else this.end(stream, this.options.explain(republished()));
  }

  private end(stream: EventStream, reason: ErrorBody): void {
    this.streams.delete(stream);
    stream.end(reason);
  }

  private pause(ms: number): Promise<unknown> {
    return sleep(ms, this.stopping.signal);
  }
}

const republished = () =>
  new HttpRefusal('recovery_publication_changed', 'The read models were replaced; connect again.');
