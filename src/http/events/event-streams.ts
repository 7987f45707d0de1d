import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { limits } from '../../config/limit-settings.js';
import type { Read } from '../admission/protected-reads.js';
import { HttpRefusal } from '../server/errors.js';
import { EventStream } from './event-stream.js';
import type { Reader } from './event-stream.js';
import { Rounds } from './rounds.js';
import type { RoundsOptions } from './rounds.js';

/** How many streams may be open, of each of these. */
export type MostOpen = Readonly<Record<keyof typeof limits.openStreams, number>>;

/** How long streams may take to say goodbye, within the time that the server has to stop. */
const GOODBYE_MS = 1_000;
/** Seconds until another may begin: where one of the listener's own has to be closed first, and where the process is full. */
const RETRY_AFTER = { own: 5, process: 30 };

/** The event streams of this process. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  /** With whose it is. */
  private readonly open = new Map<
    EventStream,
    { readonly listener: string; readonly isAnonymous: boolean }
  >();
  private readonly rounds: Rounds;

  constructor(
    options: RoundsOptions,
    private readonly mostOpen: MostOpen,
  ) {
    this.rounds = new Rounds(options);
  }

  /**
   * Begins with what was read first, and goes on until its client goes or may not listen any more.
   * @param listener whose stream it is, whatever the connection: a caller, or an address without one.
   * @throws {HttpRefusal} `pilot_rate_limited`: the listener, or this process, has as many open as may be.
   */
  begin(listener: string, first: Read<FeedPage>, reader: Reader): Readable {
    const isAnonymous = first.caller === undefined;
    this.refuseTooMany(listener, isAnonymous);
    const stream = new EventStream(reader, first, (taken) => this.rounds.resume(taken));
    this.open.set(stream, { listener, isAnonymous });
    stream.body.once('close', () => this.open.delete(stream));
    this.rounds.add(stream, first);
    return stream.body;
  }

  /** Tells every client to come back, before the server closes its connections. */
  async onModuleDestroy(): Promise<void> {
    this.rounds.stop();
    const closed = [...this.open.keys()].map(({ body }) => once(body, 'close'));
    for (const stream of this.open.keys()) stream.end();
    await Promise.race([Promise.all(closed), pause(GOODBYE_MS, undefined, { ref: false })]);
  }

  private refuseTooMany(listener: string, isAnonymous: boolean): void {
    const open = [...this.open.values()];
    if (open.filter((other) => other.listener === listener).length >= this.mostOpen.ofListener)
      throw tooMany('Too many event streams are open; close one first.', RETRY_AFTER.own);
    const anonymous = open.filter((other) => other.isAnonymous);
    if (
      open.length >= this.mostOpen.ofProcess ||
      (isAnonymous && anonymous.length >= this.mostOpen.anonymous)
    )
      throw tooMany(
        `This server has as many event streams as it can; come back in ${RETRY_AFTER.process} s, or read pages.`,
        RETRY_AFTER.process,
      );
  }
}

const tooMany = (message: string, retryAfterSeconds: number) =>
  new HttpRefusal('pilot_rate_limited', message, { retryAfterSeconds });
