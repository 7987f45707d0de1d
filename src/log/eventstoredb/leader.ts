import { setMaxListeners } from 'node:events';
import { AccessDeniedError, NotLeaderError } from '@eventstore/db-client';
import type { AppendResult, EndPoint, EventStoreDBClient } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import { endsWithin, sleep } from '../../base/support/sleep.js';
import { readNewest } from './bounded-read.js';
import { ConnectionGivenUp, within } from '../client-errors.js';
import { connect } from './connect.js';
import { LeaderChanged } from '../event-log.js';
import type { Leadership } from '../event-log.js';
import { ReadBarrier } from './read-barrier.js';
import { UnansweredAppends } from './unanswered-appends.js';
import { writeWithoutQueue } from './unqueued-writes.js';

export const RETRY_PAUSE_MS = 100;
const DISPOSE_TIMEOUT_MS = 1_000;

/**
 * A client connected to the leader, until that leader or its connection is lost. Then it is disposed, and another one
 * replaces it.
 */
export class Leader {
  readonly unanswered = new UnansweredAppends();
  private readonly lossController = new AbortController();
  private readonly barrier = new ReadBarrier(this);
  private disposing: Promise<void> | undefined;

  private constructor(
    readonly client: EventStoreDBClient,
    private channel: Promise<Channel>,
  ) {
    setMaxListeners(0, this.lossController.signal);
    writeWithoutQueue(client);
  }

  static async reach(address: EventStoreConnection, at: EndPoint, milliseconds: number): Promise<Leader> {
    const client = connect(address, at);
    const leader = new Leader(client, client['getChannel']());
    try {
      await within(milliseconds, (signal) => leader.waitForAnswer(signal));
      return leader;
    } catch (error) {
      await leader.end();
      throw error;
    }
  }

  get lost(): AbortSignal {
    return this.lossController.signal;
  }

  append(
    given: Parameters<EventStoreDBClient['appendToStream']>,
    signal: AbortSignal,
    leadership?: Leadership,
  ): Promise<AppendResult> {
    // Checked once the append has its place: it may have waited for that.
    return this.unanswered.run(() => {
      if (leadership?.holds === false)
        throw new LeaderChanged('Another leader of the event log was read from.');
      return this.client.appendToStream(...given);
    }, signal);
  }

  prove(signal: AbortSignal): Promise<Leadership | undefined> {
    return this.barrier.prove(signal);
  }

  leadership(): Promise<Leadership> {
    return this.barrier.leadership();
  }

  /** Cancels all calls and closes the client. Resolves once no append can go through it any more. */
  end(): Promise<void> {
    this.disposing ??= this.dispose();
    return this.disposing;
  }

  private async waitForAnswer(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.channel;
      try {
        await readNewest(this.client, signal);
        return;
      } catch (error) {
        // An answer nevertheless. The caller's own call fails with the same error, and reports it.
        if (error instanceof AccessDeniedError) return;
        if (!(error instanceof NotLeaderError)) throw error;
      }
      await sleep(RETRY_PAUSE_MS, signal);
      signal.throwIfAborted();
      this.channel = this.client['getChannel']();
    }
  }

  private async dispose(): Promise<void> {
    const { client, channel } = this;
    this.lossController.abort(new ConnectionGivenUp('The connection was given up for a new one.'));
    // Queued calls must not start later: two appending clients interfere with each other.
    client['getGRPCClient'] = () => Promise.reject(this.lossController.signal.reason);
    await endsWithin(DISPOSE_TIMEOUT_MS, client.dispose());
    // `dispose` leaves channels open: the first one, and another that a late call may have opened.
    const channels = await Promise.allSettled([channel, client['getChannel']()]);
    const open = new Set(channels.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    for (const each of open) each.close();
  }
}
