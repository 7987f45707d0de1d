import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { NotLeaderError } from '@eventstore/db-client';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import { newestOf } from './bounded-read.js';
import { ConnectionGivenUp, DeadlineExceeded, within } from './client-errors.js';

/** Before a leader that was just named is asked: the client goes there in the meantime. */
export const GO_THERE_MS = 100;
/** What a client gets for the end of its streams, all of which is its own work. */
const LONGEST_END_MS = 1_000;

/** A client that has found the leader. `lost` aborts when it has to look for it anew. */
export interface Found {
  readonly client: EventStoreDBClient;
  readonly lost: AbortSignal;
}

/**
 * One client, and whether it stands with the leader. As long as it does not, nothing else than the question who leads gets
 * into it: the client would keep what is abandoned meanwhile, reads and appends, and begin it all once it finds a node.
 */
export class Link {
  private finding: Promise<Found> | undefined;
  private losing = new AbortController();
  private readonly ending = new AbortController();
  private client: EventStoreDBClient | undefined;
  private channel: Promise<Channel> | undefined;
  private wasFound = false;

  /**
   * `patience`: milliseconds that a node may take for its first answer; after that `stuck` is called. `before` is waited for:
   * two clients that append disturb each other.
   */
  constructor(
    private readonly connect: () => EventStoreDBClient,
    readonly patience: number,
    private readonly stuck: (link: Link) => void,
    private readonly before: Promise<void> = Promise.resolve(),
  ) {
    setMaxListeners(0, this.ending.signal);
  }

  /** Aborts when this link is given up. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** It has stood with a leader at some time. */
  get isProven(): boolean {
    return this.wasFound;
  }

  /** Whether it stands with the leader as far as is known. */
  get isOpen(): boolean {
    return this.wasFound && this.finding !== undefined;
  }

  /** Rejects with the client's errors; pending for as long as the client finds no node. */
  open(): Promise<Found> {
    if (this.finding) return this.finding;
    const finding = this.find();
    this.finding = finding;
    finding.catch((error: unknown) => {
      if (this.finding === finding) this.finding = undefined;
      if (error instanceof DeadlineExceeded) this.stuck(this);
    });
    return finding;
  }

  /** The client has lost its node, or that is no leader. Of what was found earlier it says nothing. */
  lose({ lost }: Found): void {
    if (lost !== this.losing.signal || lost.aborted) return;
    this.finding = undefined;
    this.losing.abort();
  }

  /** Cuts everything off that is under way. Resolves when nothing can be appended through it any more. */
  async end(): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.ending.abort(new ConnectionGivenUp('The connection was given up for a new one.'));
    this.losing.abort();
    if (!this.client) return;
    // Asked for while none stands, it would begin to look for a node.
    const channel = this.isOpen ? this.client['getChannel']() : this.channel;
    await Promise.race([this.client.dispose(), pause(LONGEST_END_MS, undefined, { ref: false })]);
    // The client leaves it open; and whatever was about to call over it must not.
    void channel?.then(
      (each) => each.close(),
      () => undefined,
    );
  }

  private async find(): Promise<Found> {
    await this.before;
    this.ended.throwIfAborted();
    this.client ??= this.connect();
    const { client } = this;
    this.channel = client['getChannel']();
    // Pending while no node is found.
    await this.channel;
    await within(this.patience, (signal) => untilLeader(client, signal), this.ended);
    this.wasFound = true;
    this.losing = new AbortController();
    setMaxListeners(0, this.losing.signal);
    return { client, lost: this.losing.signal };
  }
}

async function untilLeader(client: EventStoreDBClient, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await newestOf(client, signal);
      return;
    } catch (error) {
      if (!(error instanceof NotLeaderError)) throw error;
    }
    await pause(GO_THERE_MS, undefined, { signal });
  }
}
