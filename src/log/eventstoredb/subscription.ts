import { setImmediate as immediate } from 'node:timers/promises';
import { eventTypeFilter, START, streamNameFilter } from '@eventstore/db-client';
import type { AllStreamSubscription, Filter, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import { Backoff } from '../../base/support/backoff.js';
import { sleep } from '../../base/support/sleep.js';
import { FROM_LEADER, READ_DEADLINE_MS } from './bounded-read.js';
import { isAmbiguous, within } from '../client-errors.js';
import type { Connection } from './connection.js';
import { LogUnavailable } from '../event-log.js';
import { isOwnStream, ownStreamExpression } from '../streams.js';
import type { Batch, Checkpoint, SubscribeOptions, UnreadableEvent } from '../event-log.js';
import { verifyCheckpoint } from './verify-checkpoint.js';

/**
 * Number of events that the server scans at a time. The server sends a message after each such window, so the default
 * of the client (32) would cost many messages.
 */
const SEARCH_WINDOW = 2_048;
const RECONNECT_MS = { first: 100, longest: 500 };
const FAILURES_BEFORE_WARNING = 3;

export const ofTypes = (types: SubscribeOptions['types']): Filter =>
  eventTypeFilter({
    regex: `^(${types.map((type) => type.replaceAll('.', '\\.')).join('|')})$`,
    maxSearchWindow: SEARCH_WINDOW,
  });

export const ofOwnStreams: Filter = streamNameFilter({
  regex: ownStreamExpression,
  maxSearchWindow: SEARCH_WINDOW,
});

type Decode<Event> = (
  stored: readonly RecordedEvent[],
) => Promise<{ readonly events: readonly Event[]; readonly failure?: UnreadableEvent }>;

interface Source {
  readonly connection: Connection;
  readonly logger: Pick<Logger, 'warn'> | undefined;
}

/**
 * Yields batches of events for ever. Unlike a subscription of the client library, it resumes after a loss, once the
 * log is proven to still have the last event. It never resumes from a checkpoint of the server, which names a
 * position without an event.
 */
export async function* subscribe<Event extends { readonly id: string; readonly position: bigint }>(
  { connection, logger }: Source,
  decode: Decode<Event>,
  options: Omit<SubscribeOptions, 'types'>,
  filter: Filter,
): AsyncGenerator<Batch<Event>> {
  let last = options.after;
  const backoff = new Backoff(RECONNECT_MS);
  let failures = 0;
  let failingSince = Infinity;
  while (!options.signal.aborted) {
    try {
      if (last) await verifyCheckpoint(connection, last, options.signal);
      for await (const { stored, caughtUp } of readBatches(connection, last, options, filter)) {
        const { events, failure } = await decode(stored);
        if (events.length > 0 || caughtUp) yield { events, caughtUp: caughtUp && !failure };
        if (failure) throw failure;
        const newest = events.at(-1);
        if (newest) last = { position: newest.position, eventId: newest.id };
        backoff.reset();
        failures = 0;
        failingSince = Infinity;
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (!(error instanceof LogUnavailable) && !isAmbiguous(error)) throw error;
      failures += 1;
      failingSince = Math.min(failingSince, performance.now());
      if (performance.now() - failingSince >= (options.giveUpAfterMs ?? Infinity))
        throw new LogUnavailable('The event log has failed for too long.', { cause: error });
      if (failures === FAILURES_BEFORE_WARNING)
        logger?.warn(
          { err: error, after: last && String(last.position) },
          'event log subscription keeps failing; retrying',
        );
    }
    await sleep(backoff.next(), options.signal);
  }
}

interface StoredBatch {
  readonly stored: readonly RecordedEvent[];
  readonly caughtUp: boolean;
}

async function* readBatches(
  connection: Connection,
  after: Checkpoint | undefined,
  { batchSize, signal }: Omit<SubscribeOptions, 'types'>,
  filter: Filter,
): AsyncGenerator<StoredBatch> {
  const leader = await within(READ_DEADLINE_MS, () => connection.find(), signal);
  const subscription = leader.client.subscribeToAll(
    {
      ...FROM_LEADER,
      fromPosition: after ? { commit: after.position, prepare: after.position } : START,
      filter,
    },
    { highWaterMark: batchSize },
  );
  const state = new SubscriptionState(subscription, AbortSignal.any([signal, leader.lost]));
  try {
    for (;;) {
      const stored: RecordedEvent[] = [];
      drain(subscription, stored, batchSize);
      if (!state.caughtUp && stored.length > 0 && stored.length < batchSize) {
        // A backlog arrives as a stream: yielding once makes a few large batches of many small ones.
        await immediate();
        drain(subscription, stored, batchSize);
      }
      if (stored.length > 0) connection.heard();
      const caughtUp = state.caughtUp && subscription.readableLength === 0;
      if (stored.length > 0 || state.takeCaughtUp()) yield { stored, caughtUp };
      else if (state.ended) return;
      else await state.next();
    }
  } catch (error) {
    connection.note(leader, error);
    throw error;
  } finally {
    state.stop();
    void subscription.unsubscribe().catch(() => undefined);
  }
}

function drain(subscription: AllStreamSubscription, into: RecordedEvent[], limit: number): void {
  while (into.length < limit) {
    const next = subscription.read() as { event?: RecordedEvent } | null;
    if (next === null) return;
    if (next.event && isOwnStream(next.event.streamId)) into.push(next.event);
  }
}

class SubscriptionState {
  caughtUp = false;
  ended = false;
  private isNewlyCaughtUp = false;
  private fault: unknown;
  private waiting = Promise.withResolvers<void>();

  constructor(
    subscription: AllStreamSubscription,
    private readonly signal: AbortSignal,
  ) {
    subscription
      .on('readable', this.wake)
      .on('end', this.end)
      .on('error', (error) => {
        this.fault = error;
        this.wake();
      })
      .on('caughtUp', () => {
        this.caughtUp = true;
        this.isNewlyCaughtUp = true;
        this.wake();
      })
      .on('fellBehind', () => {
        this.caughtUp = false;
      });
    if (signal.aborted) this.end();
    signal.addEventListener('abort', this.end);
  }

  takeCaughtUp(): boolean {
    const isNewlyCaughtUp = this.isNewlyCaughtUp;
    this.isNewlyCaughtUp = false;
    return isNewlyCaughtUp;
  }

  async next(): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    await this.waiting.promise;
    this.waiting = Promise.withResolvers<void>();
  }

  stop(): void {
    this.signal.removeEventListener('abort', this.end);
  }

  private readonly wake = (): void => this.waiting.resolve();

  private readonly end = (): void => {
    this.ended = true;
    this.wake();
  };
}
