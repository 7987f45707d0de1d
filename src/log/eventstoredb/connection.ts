import { NotLeaderError } from '@eventstore/db-client';
import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import { LoopLateness } from '../../base/support/loop-lateness.js';
import type { Moment } from '../../base/support/loop-lateness.js';
import { sleep } from '../../base/support/sleep.js';
import type { Leadership } from '../event-log.js';
import { readNewest, READ_DEADLINE_MS } from './bounded-read.js';
import {
  ConnectionGivenUp,
  DeadlineExceeded,
  isConnectionLost,
  isFeaturesFault,
  LeaderNotFound,
  within,
} from '../client-errors.js';
import { isClusterAddress, nodeToAsk } from './gossip.js';
import { RETRY_PAUSE_MS, Leader } from './leader.js';

const CONNECT_TIMEOUT_MS = 2_000;
const SEARCH_PAUSE_MS = 200;
const MAX_MISSED = 2;
const HEARTBEAT_MS = { pause: 1_000, deadline: 1_500 };

/**
 * Connection to the leader of the event store. The client library keeps a connection without answers for twenty
 * seconds, and sends abandoned calls when a lost node returns. So this class finds the leader first, and replaces the
 * client whenever the leader is lost. Two clients of one process never append at the same time.
 */
export class Connection {
  private pendingLeader: Promise<Leader> | undefined;
  private leader: Leader | undefined;
  private previousEnded: Promise<void> = Promise.resolve();
  private missed = { count: 0, at: -Infinity };
  private failedAt = -Infinity;
  /** The error of the last search for the leader; undefined: it succeeded. */
  private searchFault: unknown;
  private hasHeartbeat = false;
  private readonly lateness = new LoopLateness();
  private readonly closing = new AbortController();

  constructor(
    private readonly address: EventStoreConnection,
    private readonly logger?: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Runs `work` with a client of the leader, within this time. If the leader is lost, `work` is repeated with the
   * next one, so it must be safe to repeat. Its signal aborts once nobody awaits the result.
   * @throws The errors of the client, {@link DeadlineExceeded}, {@link ConnectionGivenUp}, {@link LeaderNotFound}, or
   * the reason of `caller`.
   */
  ask<T>(
    milliseconds: number,
    work: (client: EventStoreDBClient, signal: AbortSignal) => Promise<T>,
    caller?: AbortSignal,
  ): Promise<T> {
    return this.askLeader(milliseconds, ({ client }, signal) => work(client, signal), { caller });
  }

  /**
   * Appends to a stream, like {@link ask}. An append is safe to repeat: expected revision and event ids prevent that
   * it is stored twice. @throws {LeaderChanged} before an attempt, if `leadership` no longer holds.
   */
  append(
    milliseconds: number,
    given: Parameters<EventStoreDBClient['appendToStream']>,
    leadership?: Leadership,
  ) {
    return this.askToAppend(milliseconds, (leader, signal) => leader.append(given, signal, leadership));
  }

  prove(milliseconds: number): Promise<Leadership | undefined> {
    return this.askToAppend(milliseconds, (leader, signal) => leader.prove(signal), isProof);
  }

  leadership(milliseconds: number): Promise<Leadership> {
    return this.askLeader(milliseconds, (leader) => leader.leadership(), { isHeard: () => false });
  }

  newest(caller?: AbortSignal, milliseconds = READ_DEADLINE_MS): Promise<RecordedEvent | undefined> {
    return this.ask(milliseconds, readNewest, caller);
  }

  find(): Promise<Leader> {
    this.pendingLeader ??= this.connectToLeader().catch((error: unknown) => {
      this.pendingLeader = undefined;
      this.failedAt = performance.now();
      this.searchFault = error;
      throw error;
    });
    return this.pendingLeader;
  }

  heard(): void {
    this.missed.count = 0;
    if (this.hasHeartbeat) return;
    this.hasHeartbeat = true;
    void this.runHeartbeat();
  }

  note(leader: Leader, error: unknown, started: Moment = this.lateness.now()): void {
    if (isConnectionLost(error)) return this.discard(leader);
    if (!(error instanceof DeadlineExceeded) || leader.lost.aborted) return;
    // The answer may have come while this process was too busy to read it.
    if (this.lateness.wasMostlyLate(started)) return;
    // Concurrent calls that miss their deadlines together count once.
    if (started.at >= this.missed.at) this.missed = { count: this.missed.count + 1, at: performance.now() };
    if (this.missed.count < MAX_MISSED && !leader.unanswered.isStuckSince(started.at)) return;
    this.logger?.warn(
      { missed: this.missed.count },
      'the leader of the event store does not answer; connecting to it again',
    );
    this.discard(leader);
  }

  async renew(): Promise<void> {
    if (this.leader) this.discard(this.leader);
    await this.previousEnded;
  }

  async close(): Promise<void> {
    this.closing.abort(new ConnectionGivenUp('The connection is closed.'));
    this.lateness.end();
    await this.pendingLeader?.catch(() => undefined);
    await this.renew();
  }

  private async askToAppend<T>(
    milliseconds: number,
    work: (leader: Leader, signal: AbortSignal) => Promise<T>,
    isHeard?: (answer: T) => boolean,
  ): Promise<T> {
    let used: Leader | undefined;
    try {
      return await this.askLeader(milliseconds, (leader, signal) => work((used = leader), signal), {
        isHeard,
      });
    } catch (error) {
      if (used && isFeaturesFault(error)) this.discard(used);
      throw error;
    }
  }

  /** `isHeard`: tells whether the leader answered; undefined: it did. Else `work` needed no call. */
  private async askLeader<T>(
    milliseconds: number,
    work: (leader: Leader, signal: AbortSignal) => Promise<T>,
    {
      caller,
      isHeard,
    }: {
      readonly caller?: AbortSignal | undefined;
      readonly isHeard?: ((answer: T) => boolean) | undefined;
    } = {},
  ): Promise<T> {
    const giveUpAt = performance.now() + milliseconds;
    const remaining = (): number => Math.max(1, giveUpAt - performance.now());
    for (;;) {
      const started = this.lateness.now();
      let leader: Leader | undefined;
      try {
        const found = await within(remaining(), () => this.find(), caller);
        leader = found;
        const answer = await within(remaining(), (signal) => work(found, signal), caller, found.lost);
        if (isHeard?.(answer) !== false) this.heard();
        return answer;
      } catch (error) {
        if (leader) this.note(leader, error, started);
        else if (error instanceof DeadlineExceeded && error !== this.searchFault)
          error.cause ??= this.searchFault;
        if (!this.isRetryable(error) || performance.now() + RETRY_PAUSE_MS > giveUpAt) throw error;
      }
      await sleep(RETRY_PAUSE_MS);
    }
  }

  private async connectToLeader(): Promise<Leader> {
    await this.previousEnded;
    this.closing.signal.throwIfAborted();
    const { discoveryInterval = SEARCH_PAUSE_MS } = this.address.options;
    await sleep(Math.max(0, this.failedAt + discoveryInterval - performance.now()), this.closing.signal);
    this.closing.signal.throwIfAborted();
    this.leader = await Leader.reach(this.address, await nodeToAsk(this.address), CONNECT_TIMEOUT_MS);
    this.missed = { count: 0, at: performance.now() };
    this.searchFault = undefined;
    return this.leader;
  }

  private discard(leader: Leader): void {
    if (leader !== this.leader) return;
    this.leader = undefined;
    this.pendingLeader = undefined;
    this.previousEnded = leader.end();
  }

  private isRetryable(error: unknown): boolean {
    if (this.closing.signal.aborted) return false;
    return (
      error instanceof NotLeaderError ||
      error instanceof ConnectionGivenUp ||
      (isClusterAddress(this.address) && (error instanceof LeaderNotFound || isConnectionLost(error)))
    );
  }

  /**
   * Reads from the leader each second, from its first answer on. A node that is frozen, or no longer leads, sends
   * nothing to subscribers, who would not notice.
   */
  private async runHeartbeat(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      const isSilent = await this.ask(HEARTBEAT_MS.deadline, readNewest, signal).then(
        () => false,
        (error: unknown) => error instanceof DeadlineExceeded,
      );
      await sleep(isSilent ? RETRY_PAUSE_MS : HEARTBEAT_MS.pause, signal, { keepsProcess: false });
    }
  }
}

/** A node alone needs none, and is not asked. */
const isProof = (proof: Leadership | undefined): boolean => proof !== undefined;
