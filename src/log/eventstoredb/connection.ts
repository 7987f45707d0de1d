import { setTimeout as pause } from 'node:timers/promises';
import { NotLeaderError } from '@eventstore/db-client';
import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import type { EventStoreConnection } from '../../config/event-store-files.js';
import { newestOf, READ_DEADLINE_MS } from './bounded-read.js';
import {
  ConnectionGivenUp,
  DeadlineExceeded,
  isConnectionLost,
  LeaderNotFound,
  within,
} from './client-errors.js';
import { isCluster, nodeToAsk } from './gossip.js';
import { GO_THERE_MS, Leader } from './leader.js';

/** How long a node may take for its first answer. */
const REACH_MS = 2_000;
/** Before the leader is looked for again, unless the address says otherwise. */
const SEARCH_PAUSE_MS = 200;
/** Deadlines in a row after which a leader counts as frozen. */
const MOST_MISSED = 2;
/** How often the leader is asked whether it is still there, and how long it may take. */
const BEAT_MS = { pause: 1_000, deadline: 1_500 };

/**
 * The way to the leader of the event store, whichever node that is. A client that gets no answer any more holds on to its
 * connection for twenty seconds, and one whose node is away keeps what is abandoned meanwhile, and does it later: so this
 * finds the leader first, and takes a new client whenever it is lost. Never do two clients of a process append.
 */
export class Connection {
  private finding: Promise<Leader> | undefined;
  private leader: Leader | undefined;
  private ended: Promise<void> = Promise.resolve();
  private missed = { count: 0, at: -Infinity };
  private failedAt = -Infinity;
  private isBeating = false;
  private readonly closing = new AbortController();

  /** Connects at the first call. */
  constructor(
    private readonly address: EventStoreConnection,
    private readonly logger?: Pick<Logger, 'warn'>,
  ) {}

  /**
   * What `work` answers within so long. It is begun again, with another leader, when it is lost: it must be safe to repeat.
   * Its signal aborts when nobody waits for the answer any more. Rejects with the client's errors,
   * {@link DeadlineExceeded}, {@link ConnectionGivenUp}, {@link LeaderNotFound}, or the reason of `caller`.
   */
  async ask<T>(
    milliseconds: number,
    work: (client: EventStoreDBClient, signal: AbortSignal) => Promise<T>,
    caller?: AbortSignal,
  ): Promise<T> {
    const giveUpAt = performance.now() + milliseconds;
    const left = (): number => Math.max(1, giveUpAt - performance.now());
    for (;;) {
      const begun = performance.now();
      let leader: Leader | undefined;
      try {
        leader = await within(left(), () => this.find(), caller);
        const { client } = leader;
        const answer = await within(left(), (signal) => work(client, signal), caller, leader.lost);
        this.heard();
        return answer;
      } catch (error) {
        if (leader) this.note(leader, error, begun);
        if (!this.isWorthAnotherTry(error) || performance.now() + GO_THERE_MS > giveUpAt) throw error;
      }
      await pause(GO_THERE_MS);
    }
  }

  /** The newest event of the log, whatever it is; undefined: it is empty. */
  newest(caller?: AbortSignal): Promise<RecordedEvent | undefined> {
    return this.ask(READ_DEADLINE_MS, newestOf, caller);
  }

  /** The leader; rejects with what came of the search. */
  find(): Promise<Leader> {
    this.finding ??= this.look().catch((error: unknown) => {
      this.finding = undefined;
      this.failedAt = performance.now();
      throw error;
    });
    return this.finding;
  }

  /** Something came from the leader: it is not frozen. */
  heard(): void {
    this.missed.count = 0;
    if (this.isBeating) return;
    this.isBeating = true;
    void this.beat();
  }

  /** What became of something that was asked of a leader. `begun`: by `performance.now()`. */
  note(leader: Leader, error: unknown, begun = performance.now()): void {
    if (isConnectionLost(error)) return this.lose(leader);
    // Of many that wait at the same time, the first tells as much as all.
    if (!(error instanceof DeadlineExceeded) || leader.lost.aborted || begun < this.missed.at) return;
    this.missed = { count: this.missed.count + 1, at: performance.now() };
    if (this.missed.count < MOST_MISSED) return;
    this.logger?.warn({ missed: this.missed.count }, 'event log does not answer; connecting anew');
    this.lose(leader);
  }

  /** From now on everything is asked over a new connection. */
  async renew(): Promise<void> {
    if (this.leader) this.lose(this.leader);
    await this.ended;
  }

  async close(): Promise<void> {
    this.closing.abort(new ConnectionGivenUp('The connection is closed.'));
    // What is just being connected to is left, too.
    await this.finding?.catch(() => undefined);
    await this.renew();
  }

  /** One round. */
  private async look(): Promise<Leader> {
    await this.ended;
    this.closing.signal.throwIfAborted();
    const { discoveryInterval = SEARCH_PAUSE_MS } = this.address.options;
    await pause(Math.max(0, this.failedAt + discoveryInterval - performance.now()), undefined, {
      signal: this.closing.signal,
    });
    this.leader = await Leader.reach(this.address, await nodeToAsk(this.address), REACH_MS);
    this.missed = { count: 0, at: performance.now() };
    return this.leader;
  }

  private lose(leader: Leader): void {
    if (leader !== this.leader) return;
    this.leader = undefined;
    this.finding = undefined;
    this.ended = leader.end();
  }

  /** Where there are several nodes, another is going to lead. */
  private isWorthAnotherTry(error: unknown): boolean {
    return (
      error instanceof NotLeaderError ||
      error instanceof ConnectionGivenUp ||
      (isCluster(this.address) && (error instanceof LeaderNotFound || isConnectionLost(error)))
    );
  }

  /**
   * Asks the leader each second from the first answer on. A node that is frozen, or leads no more, says nothing to somebody
   * who only listens, nor to the next one who asks before deadlines have passed.
   */
  private async beat(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      // What an answer, or none, says of the leader is noted where it is asked.
      const isSilent = await this.ask(BEAT_MS.deadline, newestOf, signal).then(
        () => false,
        (error: unknown) => error instanceof DeadlineExceeded,
      );
      const rest = pause(isSilent ? GO_THERE_MS : BEAT_MS.pause, undefined, { signal, ref: false });
      await rest.catch(() => undefined);
    }
  }
}
