import { setTimeout as pause } from 'node:timers/promises';
import { NotLeaderError } from '@eventstore/db-client';
import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import type { EventStoreConnection } from '../config/event-store-files.js';
import { newestOf, READ_DEADLINE_MS } from './bounded-read.js';
import { ConnectionGivenUp, DeadlineExceeded, isConnectionLost, within } from './client-errors.js';
import { connect } from './connect.js';
import { GO_THERE_MS, Link } from './link.js';
import type { Found } from './link.js';

/** How long a node may take for the first answer over a new connection, at first and at most. */
const PATIENCE_MS = { first: 2_000, longest: 16_000 };
/** Deadlines in a row that a node may miss which has answered before. */
const MOST_MISSED = 2;
/** How often the leader is asked whether it is still there while somebody only listens. */
const BEAT_MS = 1_000;

/**
 * The way to the leader of the event store, whichever node that is. A client that gets no answer any more holds on to its
 * connection for twenty seconds, so it is given up for a new one: never do two of a process append.
 */
export class Connection {
  private link: Link;
  private missed = { count: 0, at: -Infinity };
  private listeners = 0;
  private isBeating = false;

  /** Connects at the first call. */
  constructor(
    private readonly address: EventStoreConnection,
    private readonly logger?: Pick<Logger, 'warn'>,
  ) {
    const first = connect(address);
    this.link = new Link(() => first, PATIENCE_MS.first, this.stuck);
  }

  /**
   * What `work` answers within so long. It is begun again, over another connection, when the node names another leader and
   * when the connection is given up: it must be safe to repeat. Its signal aborts when nobody waits for the answer any more.
   * Rejects with the client's errors, {@link DeadlineExceeded}, {@link ConnectionGivenUp}, or the reason of `caller`.
   */
  async ask<T>(
    milliseconds: number,
    work: (client: EventStoreDBClient, signal: AbortSignal) => Promise<T>,
    caller?: AbortSignal,
  ): Promise<T> {
    const giveUpAt = performance.now() + milliseconds;
    for (;;) {
      const { link } = this;
      const begun = performance.now();
      let found: Found | undefined;
      const attempt = async (signal: AbortSignal): Promise<T> => {
        found = await link.open();
        signal.throwIfAborted();
        return work(found.client, signal);
      };
      try {
        const answer = await within(Math.max(1, giveUpAt - begun), attempt, caller, link.ended);
        this.heard();
        return answer;
      } catch (error) {
        if (found) this.note(found, error, begun);
        const isMoving = error instanceof NotLeaderError || error instanceof ConnectionGivenUp;
        if (!isMoving || performance.now() + GO_THERE_MS > giveUpAt) throw error;
      }
      await pause(GO_THERE_MS);
    }
  }

  /** The newest event of the log, whatever it is; undefined: it is empty. */
  newest(caller?: AbortSignal): Promise<RecordedEvent | undefined> {
    return this.ask(READ_DEADLINE_MS, newestOf, caller);
  }

  /** A client that has found the leader, for what has no answer and no end. Rejects like {@link ask}. */
  find(): Promise<Found> {
    const { link } = this;
    return within(READ_DEADLINE_MS, () => link.open(), link.ended);
  }

  /** Something came from the node: it is not frozen. */
  heard(): void {
    this.missed.count = 0;
  }

  /** What became of something that was begun with what was found. `begun`: by `performance.now()`. */
  note(found: Found, error: unknown, begun = performance.now()): void {
    if (isConnectionLost(error)) this.link.lose(found);
    if (!(error instanceof DeadlineExceeded)) return;
    // Of many that wait at the same time, the first tells as much as all.
    if (found.lost.aborted || begun < this.missed.at) return;
    this.missed = { count: this.missed.count + 1, at: performance.now() };
    if (this.missed.count >= MOST_MISSED) this.stuck(this.link);
  }

  /**
   * As long as somebody listens the leader is asked each second: a node that is frozen, or leads no more, sends nothing, and
   * says nothing of it. Ends with the function that is returned.
   */
  listen(): () => void {
    this.listeners += 1;
    if (!this.isBeating) void this.beat();
    return () => void (this.listeners -= 1);
  }

  /** From now on everything is asked over a new connection, unless none stands. */
  async renew(): Promise<void> {
    if (this.link.isOpen) await this.replace(this.link);
  }

  async close(): Promise<void> {
    this.listeners = 0;
    await this.link.end();
  }

  private async beat(): Promise<void> {
    this.isBeating = true;
    while (this.listeners > 0) {
      // What it says of the connection is noted where it is asked.
      const isThere = await this.newest().then(
        () => true,
        () => false,
      );
      await pause(isThere ? BEAT_MS : GO_THERE_MS, undefined, { ref: false });
    }
    this.isBeating = false;
  }

  private readonly stuck = (link: Link): void => {
    if (link !== this.link) return;
    this.logger?.warn({ patienceMs: link.patience }, 'event log does not answer; connecting anew');
    void this.replace(link);
  };

  private replace(link: Link): Promise<void> {
    const ended = link.end();
    const patience = link.isProven ? PATIENCE_MS.first : Math.min(link.patience * 2, PATIENCE_MS.longest);
    this.link = new Link(() => connect(this.address), patience, this.stuck, ended);
    this.missed = { count: 0, at: performance.now() };
    return ended;
  }
}
