import { setTimeout as pause } from 'node:timers/promises';
import {
  BACKWARDS,
  END,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import type { ReadStreamOptions, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import { readEventStoreAddress } from '../../config/event-store-files.js';
import type { EventStoreConnection } from '../../config/event-store-files.js';
import { keepLoopbackFromProxies } from '../../config/grpc-proxy.js';
import { isTooLarge, largestEvent, TOO_LARGE } from './append-size.js';
import { collect, FROM_LEADER, READ_DEADLINE_MS, verifyCheckpoint } from './bounded-read.js';
import { isAmbiguous } from './client-errors.js';
import { noPosition } from '../codec.js';
import type { Codec } from '../codec.js';
import { Connection } from './connection.js';
import { EventLog, LogFull, LogUnavailable, WrongExpectedRevision } from '../event-log.js';
import type {
  Append,
  Appended,
  Batch,
  Checkpoint,
  EventReference,
  ReadOptions,
  SubscribeOptions,
} from '../event-log.js';
import { foreignStreamIn } from './foreign-streams.js';
import { NewestFact } from './newest-fact.js';
import type { EventMetadata, Recorded } from '../recorded.js';
import { storeFault } from './store-faults.js';
import { streams } from '../streams.js';
import { subscribe } from './subscription.js';

/** How long an append may take: one try; all retries with the sealing of its events; the check whether any is taken. */
const DEADLINE_MS = { attempt: 2_000, append: 5_000, check: 1_200 };
/** The client sends the server a point in time, so a server's clock that is ahead by as much refuses every append. */
const SERVER_DEADLINE_MS = 60 * 60_000;
const RETRY_PAUSE_MS = 100;
/** Events that are read at a time: a fraction of what a busy machine reads within the deadline. */
const READ_PAGE = 500;

/** No stream gets as many events. */
const IMPOSSIBLE_REVISION = 2n ** 53n - 1n;
const READINESS_EVENT = jsonEvent({
  id: '00000000-0000-4000-8000-000000000001',
  type: 'readiness-checked',
  data: {},
});

/** The log in an EventStoreDB, a KurrentDB or the embedded store: whatever answers at the connection string. */
export class EventStoreLog extends EventLog {
  private readonly address: EventStoreConnection;
  private readonly connection: Connection;
  private readonly newestFact: NewestFact;
  /** Whether the server took the largest of all appends, when it was asked last. */
  private takesLargest = false;

  /** `url`: `esdb://host:port?tls=false`. Connects at the first call. @throws {AddressError} */
  constructor(
    url: string,
    private readonly codec: Codec,
    private readonly logger?: Pick<Logger, 'warn'>,
  ) {
    super();
    keepLoopbackFromProxies();
    this.address = readEventStoreAddress(url);
    this.connection = new Connection(this.address, logger);
    this.newestFact = new NewestFact(this.connection);
  }

  async append(append: Append): Promise<Appended> {
    const giveUpAt = performance.now() + DEADLINE_MS.append;
    const events = await this.codec.encode(append);
    const expectedRevision = append.expected === 'no_stream' ? NO_STREAM : append.expected;
    for (;;) {
      const deadline = Math.max(1, Math.min(DEADLINE_MS.attempt, giveUpAt - performance.now()));
      try {
        const { nextExpectedRevision, position } = await this.connection.ask(deadline, (client) =>
          client.appendToStream(append.stream, events, {
            expectedRevision,
            deadline: SERVER_DEADLINE_MS,
            ...FROM_LEADER,
          }),
        );
        if (position === undefined) throw new Error('the server sent no position of the append');
        return { revision: nextExpectedRevision, position: position.commit };
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) throw new WrongExpectedRevision(error.message);
        if (isTooLarge(error)) {
          this.takesLargest = false;
          throw new LogUnavailable(TOO_LARGE, { cause: error });
        }
        if (!isAmbiguous(error) || performance.now() + RETRY_PAUSE_MS > giveUpAt)
          throw new LogUnavailable('The event log did not confirm the append.', { cause: error });
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  /** Nothing to wait for: what is in the log is durable. */
  ensureWitnessed(): Promise<void> {
    return Promise.resolve();
  }

  async read(stream: string, options: ReadOptions = {}): Promise<readonly Recorded[]> {
    const { events, failure } = await this.codec.decode(await this.stored(stream, options));
    if (failure) throw failure;
    return events;
  }

  async find(stream: string, id: string): Promise<EventReference | undefined> {
    const stored = (await this.stored(stream, { isProof: true })).find((event) => event.id === id);
    return stored && referenceTo(stored);
  }

  verify(checkpoint: Checkpoint, signal?: AbortSignal): Promise<void> {
    return verifyCheckpoint(this.connection, checkpoint, signal);
  }

  async reach(signal?: AbortSignal): Promise<void> {
    await this.connection.newest(signal).catch(unanswered);
  }

  reconnect(): Promise<void> {
    return this.connection.renew();
  }

  head(): Promise<bigint | undefined> {
    return this.newestFact.position().catch(unanswered);
  }

  /**
   * Appends with an expected revision that no stream has. A server that can write compares and refuses, with nothing
   * written; the embedded store answers its fault instead, if it has one.
   */
  async checkWritable(): Promise<void> {
    const options = {
      expectedRevision: IMPOSSIBLE_REVISION,
      deadline: SERVER_DEADLINE_MS,
      ...FROM_LEADER,
    };
    // The size is what a server looks at first.
    const event = this.takesLargest ? READINESS_EVENT : largestEvent;
    try {
      await this.connection.ask(DEADLINE_MS.check, (client) =>
        client.appendToStream(streams.readiness(), event, options),
      );
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) {
        this.takesLargest = true;
        return;
      }
      const fault = { cause: error };
      // The client has no type for it and gives the text alone.
      if (error instanceof Error && error.message.includes('the disk is full'))
        throw new LogFull('The disk of the event log is full.', fault);
      throw new LogUnavailable('The event log takes no appends.', fault);
    }
    throw new Error(`stream ${streams.readiness()} took an append that expects an impossible revision`);
  }

  /** A stream of another application, where one is seen at the begin or the end of the log. @throws {LogUnavailable} */
  foreignStream(): Promise<string | undefined> {
    return foreignStreamIn(this.connection).catch(unanswered);
  }

  explain(use: 'read' | 'append', error?: unknown): Promise<string | undefined> {
    return storeFault(this.address, use, error);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const decode = (stored: readonly RecordedEvent[]) => this.codec.decode(stored);
    return subscribe({ connection: this.connection, logger: this.logger }, decode, options);
  }

  references(options: SubscribeOptions): AsyncIterable<Batch<EventReference>> {
    const decode = (stored: readonly RecordedEvent[]) => Promise.resolve({ events: stored.map(referenceTo) });
    return subscribe({ connection: this.connection, logger: this.logger }, decode, options);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** In pages, each within the deadline of a read: however long a stream gets, it can be read. */
  private async stored(stream: string, { from, direction, limit = Infinity, isProof = false }: ReadOptions) {
    const backwards = direction === 'backwards';
    const stored: RecordedEvent[] = [];
    let fromRevision: bigint | typeof START | typeof END = from ?? (backwards ? END : START);
    for (;;) {
      const maxCount = Math.min(READ_PAGE, limit - stored.length);
      const options = { direction: backwards ? BACKWARDS : FORWARDS, fromRevision, maxCount } as const;
      const page = await this.page(stream, options, isProof);
      stored.push(...page);
      const last = page.at(-1);
      if (!last || page.length < maxCount || stored.length >= limit) return stored;
      if (backwards && last.revision === 0n) return stored;
      fromRevision = last.revision + (backwards ? -1n : 1n);
    }
  }

  /** No such stream, or for a proof a deleted one: nothing. */
  private async page(
    stream: string,
    options: ReadStreamOptions,
    isProof: boolean,
  ): Promise<readonly RecordedEvent[]> {
    try {
      return await this.connection.ask(READ_DEADLINE_MS, (client, signal) =>
        collect(client.readStream(stream, { ...options, ...FROM_LEADER }), signal),
      );
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      // Plaza deletes no stream: a log in which one is deleted has lost it, and is not away.
      if (isProof && error instanceof StreamDeletedError) return [];
      return unanswered(error);
    }
  }
}

function unanswered(cause: unknown): never {
  throw new LogUnavailable('The event log did not answer the read.', { cause });
}

function referenceTo({ id, streamId, position, metadata }: RecordedEvent): EventReference {
  const { witnessEpoch } = (metadata ?? {}) as Partial<EventMetadata>;
  return {
    id,
    stream: streamId,
    position: position?.commit ?? noPosition(),
    witnessEpoch,
  };
}
