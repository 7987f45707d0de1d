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
import { readEventStoreAddress } from '../../base/config/event-store-files.js';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import { keepLoopbackFromProxies } from '../../base/config/grpc-proxy.js';
import { sleep } from '../../base/support/sleep.js';
import { APPEND_OPTIONS } from './append-options.js';
import { isTooLarge, largestEvent, APPEND_LIMIT_TOO_LOW } from './append-size.js';
import { collectEvents, FROM_LEADER, READ_DEADLINE_MS } from './bounded-read.js';
import { isAmbiguous } from '../client-errors.js';
import { noPosition } from '../codec.js';
import type { Codec } from '../codec.js';
import { Connection } from './connection.js';
import { EventLog, LeaderChanged, LogFull, LogUnavailable, WrongExpectedRevision } from '../event-log.js';
import type {
  Append,
  AppendedEvents,
  Batch,
  Checkpoint,
  EventReference,
  Leadership,
  ReadOptions,
  SubscribeOptions,
  UndecodedEvent,
} from '../event-log.js';
import { foreignStreamIn } from './foreign-streams.js';
import { NewestOwnEvent } from './newest-own-event.js';
import type { EventMetadata, Recorded } from '../recorded.js';
import { configurationFault } from './store-faults.js';
import { streams } from '../streams.js';
import { ofOwnStreams, ofTypes, subscribe } from './subscription.js';
import { verifyCheckpoint } from './verify-checkpoint.js';

const DEADLINE_MS = { attempt: 2_000, append: 5_000, check: 1_200 };
const RETRY_PAUSE_MS = 100;
const READ_PAGE = 500;

const IMPOSSIBLE_REVISION = 2n ** 53n - 1n;
const READINESS_EVENT = jsonEvent({
  id: '00000000-0000-4000-8000-000000000001',
  type: 'readiness-checked',
  data: {},
});

export class EventStoreLog extends EventLog {
  private readonly address: EventStoreConnection;
  private readonly connection: Connection;
  private readonly newestOwnEvent: NewestOwnEvent;
  private acceptsLargest = false;

  constructor(
    url: string,
    private readonly codec: Pick<Codec, 'encode' | 'decode'>,
    private readonly logger?: Pick<Logger, 'warn'>,
  ) {
    super();
    keepLoopbackFromProxies();
    this.address = readEventStoreAddress(url);
    this.connection = new Connection(this.address, logger);
    this.newestOwnEvent = new NewestOwnEvent(this.connection);
  }

  async append(append: Append): Promise<AppendedEvents> {
    const events = await this.codec.encode(append);
    const expectedRevision = append.expected === 'no_stream' ? NO_STREAM : append.expected;
    const { nextExpectedRevision, position } = await untilAnswered((deadline) =>
      this.connection.append(
        deadline,
        [append.stream, events, { expectedRevision, ...APPEND_OPTIONS }],
        append.leadership,
      ),
    ).catch((error: unknown) => {
      if (error instanceof LeaderChanged) throw error;
      if (error instanceof WrongExpectedVersionError) throw new WrongExpectedRevision(error.message);
      if (!isTooLarge(error))
        throw new LogUnavailable('The event log did not confirm the append.', { cause: error });
      this.acceptsLargest = false;
      throw new LogUnavailable(APPEND_LIMIT_TOO_LOW, { cause: error });
    });
    if (position === undefined)
      throw new Error('the event store confirmed an append without sending its position in the log');
    return { revision: nextExpectedRevision, position: position.commit };
  }

  prove(): Promise<Leadership | undefined> {
    return untilAnswered((deadline) => this.connection.prove(deadline)).catch((cause: unknown) => {
      throw new LogUnavailable('The event log did not prove that its leader still leads.', { cause });
    });
  }

  leadership(): Promise<Leadership> {
    return this.connection.leadership(READ_DEADLINE_MS).catch(throwUnavailable);
  }

  ensureWitnessed(): Promise<void> {
    return Promise.resolve();
  }

  async read(stream: string, options: ReadOptions = {}): Promise<readonly Recorded[]> {
    const { events, failure } = await this.codec.decode(await this.readStored(stream, options));
    if (failure) throw failure;
    return events;
  }

  async find(stream: string, id: string): Promise<EventReference | undefined> {
    const stored = (await this.readStored(stream, { isProof: true })).find((event) => event.id === id);
    return stored && referenceTo(stored);
  }

  verify(checkpoint: Checkpoint, signal?: AbortSignal): Promise<void> {
    return verifyCheckpoint(this.connection, checkpoint, signal);
  }

  async reach(signal?: AbortSignal, milliseconds?: number): Promise<void> {
    await this.connection.newest(signal, milliseconds).catch(throwUnavailable);
  }

  reconnect(): Promise<void> {
    return this.connection.renew();
  }

  head(): Promise<bigint | undefined> {
    return this.newestOwnEvent.position().catch(throwUnavailable);
  }

  /**
   * Sends an append with an expected revision that no stream has. A server that can write compares the revisions and
   * rejects the append, so nothing is written. The embedded store answers with its fault, if it has one.
   */
  async checkWritable(): Promise<void> {
    const appendOptions = {
      expectedRevision: IMPOSSIBLE_REVISION,
      ...APPEND_OPTIONS,
    };
    // Servers check the size before the revision.
    const event = this.acceptsLargest ? READINESS_EVENT : largestEvent;
    try {
      await this.connection.append(DEADLINE_MS.check, [streams.readiness(), event, appendOptions]);
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) {
        this.acceptsLargest = true;
        return;
      }
      const options = { cause: error };
      if (error instanceof Error && error.message.includes('the disk is full'))
        throw new LogFull('The disk of the event log is full: free space on it.', options);
      throw new LogUnavailable('The event log rejects appends.', options);
    }
    throw new Error(
      `the event store accepted an append to ${streams.readiness()} with an impossible expected revision`,
    );
  }

  foreignStream(): Promise<string | undefined> {
    return foreignStreamIn(this.connection).catch(throwUnavailable);
  }

  explain(use: 'read' | 'append', error?: unknown): Promise<string | undefined> {
    return configurationFault(this.address, use, error);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const decode = (stored: readonly RecordedEvent[]) => this.codec.decode(stored);
    return subscribe(this.source(), decode, options, ofTypes(options.types));
  }

  references(options: SubscribeOptions): AsyncIterable<Batch<EventReference>> {
    const decode = (stored: readonly RecordedEvent[]) => Promise.resolve({ events: stored.map(referenceTo) });
    return subscribe(this.source(), decode, options, ofTypes(options.types));
  }

  undecoded(options: Omit<SubscribeOptions, 'types'>): AsyncIterable<Batch<UndecodedEvent>> {
    const asStored = (stored: readonly RecordedEvent[]) =>
      Promise.resolve({ events: stored.map(undecodedOf) });
    return subscribe(this.source(), asStored, options, ofOwnStreams);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private source() {
    return { connection: this.connection, logger: this.logger };
  }

  private async readStored(
    stream: string,
    { from, direction, limit = Infinity, isProof = false }: ReadOptions,
  ) {
    const backwards = direction === 'backwards';
    const stored: RecordedEvent[] = [];
    let fromRevision: bigint | typeof START | typeof END = from ?? (backwards ? END : START);
    for (;;) {
      const maxCount = Math.min(READ_PAGE, limit - stored.length);
      const options = { direction: backwards ? BACKWARDS : FORWARDS, fromRevision, maxCount } as const;
      const page = await this.readPage(stream, options, isProof);
      stored.push(...page);
      const last = page.at(-1);
      if (!last || page.length < maxCount || stored.length >= limit) return stored;
      if (backwards && last.revision === 0n) return stored;
      fromRevision = last.revision + (backwards ? -1n : 1n);
    }
  }

  private async readPage(
    stream: string,
    options: ReadStreamOptions,
    isProof: boolean,
  ): Promise<readonly RecordedEvent[]> {
    try {
      return await this.connection.ask(READ_DEADLINE_MS, (client, signal) =>
        collectEvents(client.readStream(stream, { ...options, ...FROM_LEADER }), signal),
      );
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      // Plaza deletes no stream, so a deleted one proves lost events and no outage.
      if (isProof && error instanceof StreamDeletedError) return [];
      return throwUnavailable(error);
    }
  }
}

/** Repeats an attempt without a clear answer, for 5 s. `attempt`: gets its deadline in milliseconds. */
async function untilAnswered<T>(attempt: (deadline: number) => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + DEADLINE_MS.append;
  for (;;) {
    try {
      return await attempt(Math.max(1, Math.min(DEADLINE_MS.attempt, giveUpAt - performance.now())));
    } catch (error) {
      if (isTooLarge(error) || !isAmbiguous(error) || performance.now() + RETRY_PAUSE_MS > giveUpAt)
        throw error;
    }
    await sleep(RETRY_PAUSE_MS);
  }
}

function throwUnavailable(cause: unknown): never {
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

function undecodedOf({
  id,
  streamId,
  revision,
  position,
  created,
  type,
  data,
  metadata,
}: RecordedEvent): UndecodedEvent {
  return {
    id,
    stream: streamId,
    revision,
    position: position?.commit ?? noPosition(),
    storedAt: created.getTime(),
    type,
    data,
    metadata,
  };
}
