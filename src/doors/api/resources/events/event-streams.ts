import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { FeedPage } from '../../../../../projections/feed/feed.read-model.js';
import { limits } from '../../../../base/config/limit-settings.js';
import { endsWithin } from '../../../../base/support/sleep.js';
import type { Read } from '../../admission/protected-reads.js';
import { HttpRefusal } from '../../../../server/errors.js';
import { EventStream } from './event-stream.js';
import type { StreamReader } from './event-stream.js';
import { SharedReadLoop } from './shared-read-loop.js';
import type { SharedReadLoopOptions } from './shared-read-loop.js';

export type MaxOpenStreams = Readonly<Record<keyof typeof limits.openStreams, number>>;

/**
 * Longest wait at shutdown for clients to take the last messages of their streams; shorter than the shutdown of the
 * server.
 */
const CLOSE_MS = 1_000;

@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly open = new Map<
    EventStream,
    { readonly listener: string; readonly isAnonymous: boolean }
  >();
  private readonly rounds: SharedReadLoop;

  constructor(
    options: SharedReadLoopOptions,
    private readonly maxOpen: MaxOpenStreams,
  ) {
    this.rounds = new SharedReadLoop(options);
  }

  /**
   * Returns a stream that begins with this read. It ends when its client disconnects, reads too slowly or loses access,
   * when a read fails, or when another incarnation is published.
   * @param listener name under which the open streams of this client are counted: application and actor, or a block of
   * addresses.
   * @throws {HttpRefusal} `pilot_rate_limited`: the client or this process has reached its limit of open streams.
   */
  start(listener: string, first: Read<FeedPage>, reader: StreamReader): Readable {
    const isAnonymous = first.caller === undefined;
    this.checkLimits(listener, isAnonymous);
    const stream = new EventStream(reader, first, (consumed) => this.rounds.resume(consumed));
    this.open.set(stream, { listener, isAnonymous });
    stream.body.once('close', () => this.open.delete(stream));
    this.rounds.add(stream, first);
    return stream.body;
  }

  async onModuleDestroy(): Promise<void> {
    this.rounds.stop();
    const closed = [...this.open.keys()].map(({ body }) => once(body, 'close'));
    for (const stream of this.open.keys()) stream.end();
    await endsWithin(CLOSE_MS, Promise.all(closed));
  }

  private checkLimits(listener: string, isAnonymous: boolean): void {
    const open = [...this.open.values()];
    if (open.filter((other) => other.listener === listener).length >= this.maxOpen.ofListener)
      throw tooMany(
        'Too many event streams are open; close one first.',
        limits.streamRetrySeconds.ofListener,
      );
    const anonymous = open.filter((other) => other.isAnonymous);
    if (open.length >= this.maxOpen.ofProcess || (isAnonymous && anonymous.length >= this.maxOpen.anonymous))
      throw tooMany(
        `This server has reached its limit of event streams; retry in ${limits.streamRetrySeconds.ofProcess} s, or read pages.`,
        limits.streamRetrySeconds.ofProcess,
      );
  }
}

const tooMany = (message: string, retryAfterSeconds: number) =>
  new HttpRefusal('pilot_rate_limited', message, { retryAfterSeconds });
