import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { AccessDeniedError, NotLeaderError } from '@eventstore/db-client';
import type { EndPoint, EventStoreDBClient } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import type { EventStoreConnection } from '../../config/event-store-files.js';
import { newestOf } from './bounded-read.js';
import { ConnectionGivenUp, within } from './client-errors.js';
import { connect } from './connect.js';

/** Before a leader that was just named is asked: the client goes there in the meantime. */
export const GO_THERE_MS = 100;
/** What a client gets for the end of its streams, all of which is its own work. */
const LONGEST_END_MS = 1_000;

/** A client that stands with the leader, until it does not any more: then it is ended, and another takes its place. */
export class Leader {
  private readonly losing = new AbortController();
  private ending: Promise<void> | undefined;

  private constructor(
    readonly client: EventStoreDBClient,
    private channel: Promise<Channel>,
  ) {
    setMaxListeners(0, this.losing.signal);
  }

  /**
   * Asks a node, and the one that it names if another leads, for so many milliseconds. Rejects with the client's errors, or
   * {@link DeadlineExceeded}.
   */
  static async reach(address: EventStoreConnection, at: EndPoint, milliseconds: number): Promise<Leader> {
    const client = connect(address, at);
    const found = new Leader(client, client['getChannel']());
    try {
      await within(milliseconds, (signal) => found.answer(signal));
      return found;
    } catch (error) {
      await found.end();
      throw error;
    }
  }

  /** Aborts when it is given up. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** Cuts everything off that is under way. Resolves when nothing can be appended through it any more. */
  end(): Promise<void> {
    this.ending ??= this.endAll();
    return this.ending;
  }

  private async answer(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.channel;
      try {
        await newestOf(this.client, signal);
        return;
      } catch (error) {
        // It answers, and says what is wrong to whoever comes with something of their own.
        if (error instanceof AccessDeniedError) return;
        if (!(error instanceof NotLeaderError)) throw error;
      }
      await pause(GO_THERE_MS, undefined, { signal });
      this.channel = this.client['getChannel']();
    }
  }

  private async endAll(): Promise<void> {
    const { client, channel } = this;
    this.losing.abort(new ConnectionGivenUp('The connection was given up for a new one.'));
    // What waits in the client must not begin later: two clients that append disturb each other.
    client['getGRPCClient'] = () => Promise.reject(this.losing.signal.reason);
    await Promise.race([client.dispose(), pause(LONGEST_END_MS, undefined, { ref: false })]);
    // The client would leave them open: the one that it began with, and maybe another that a late call made it take.
    const channels = await Promise.allSettled([channel, client['getChannel']()]);
    const open = new Set(channels.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    for (const each of open) each.close();
  }
}
