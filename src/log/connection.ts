import { setTimeout as pause } from 'node:timers/promises';
import { NotLeaderError } from '@eventstore/db-client';
import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import { newestOf, READ_DEADLINE_MS } from './bounded-read.js';
import {
  codeOf,
  ConnectionGivenUp,
  DeadlineExceeded,
  isConnectionLost,
  NoNodeAnswers,
  within,
} from './client-errors.js';
import { GO_THERE_MS, Leader } from './leader.js';
import { Nodes } from './nodes.js';

/** How long it may take until a leader has answered that nodes have named. */
const FIND_MS = 2_000;
/** The nodes are tried now and then also where none seems to answer: they may be behind a proxy that only the client uses. */
const TRY_MS = 30_000;
/** Deadlines in a row after which a leader counts as frozen. */
const MOST_MISSED = 2;
/** How often the leader is asked whether it is still there, and how long it may take. */
const BEAT_MS = { pause: 1_000, deadline: 1_500 };

/**
 * The way to the leader of the event store, whichever node that is. A client that gets no answer any more holds on to its
 * connection for twenty seconds, and one that looks for a node keeps what is abandoned meanwhile, and does it later: so
 * this looks for the leader first, and takes a new client whenever it is lost. Never do two of a process append.
 */
export class Connection {
  private readonly nodes: Nodes;
  private finding: Promise<Leader> | undefined;
  private leader: Leader | undefined;
  private ended: Promise<void> = Promise.resolve();
  private missed = { count: 0, at: -Infinity };
  private failedAt = -Infinity;
  private triedAt = -Infinity;
  private isBeating = false;
  private readonly closing = new AbortController();

  /** Connects at the first call. Throws what the client says of a connection string that it cannot read. */
  constructor(
    url: string,
    private readonly logger?: Pick<Logger, 'warn'>,
  ) {
    this.nodes = new Nodes(url);
  }

  /**
   * What `work` answers within so long. It is begun again, with another leader, when it is lost: it must be safe to repeat.
   * Its signal aborts when nobody waits for the answer any more. Rejects with the client's errors,
   * {@link DeadlineExceeded}, {@link ConnectionGivenUp}, {@link NoNodeAnswers}, or the reason of `caller`.
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
    this.closing.abort();
    await this.renew();
  }

  /** One round. */
  private async look(): Promise<Leader> {
    await this.ended;
    this.closing.signal.throwIfAborted();
    await pause(Math.max(0, this.failedAt + this.nodes.pause - performance.now()));
    const isFirst = this.triedAt === -Infinity;
    const url = isFirst ? this.nodes.all : await this.nodes.answering();
    if (url === undefined && performance.now() < this.triedAt + TRY_MS)
      throw new NoNodeAnswers('No node of the event store answers.');
    this.triedAt = performance.now();
    try {
      this.leader = await Leader.find(url ?? this.nodes.all, FIND_MS);
    } catch (cause) {
      // Of the client itself, which has found none.
      if (codeOf(cause) !== undefined || cause instanceof DeadlineExceeded) throw cause;
      throw new NoNodeAnswers('No node of the event store was found.', { cause });
    }
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
      (this.nodes.areMany && (error instanceof NoNodeAnswers || isConnectionLost(error)))
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
      const isThere = await this.ask(BEAT_MS.deadline, newestOf, signal).then(
        () => true,
        () => false,
      );
      const rest = pause(isThere ? BEAT_MS.pause : GO_THERE_MS, undefined, { signal, ref: false });
      await rest.catch(() => undefined);
    }
  }
}
