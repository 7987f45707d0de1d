import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { eventTypeFilter, START } from '@eventstore/db-client';
import type { AllStreamSubscription, RecordedEvent } from '@eventstore/db-client';
import type { Logger } from 'pino';
import { FROM_LEADER, READ_DEADLINE_MS, verifyCheckpoint } from './bounded-read.js';
import { isAmbiguous, within } from './client-errors.js';
import type { Connection } from './connection.js';
import { LogUnavailable } from '../event-log.js';
import { isOwnStream } from '../streams.js';
import type { Batch, Checkpoint, SubscribeOptions, UnreadableEvent } from '../event-log.js';

/** Events that the server looks through at a time. The client's default is 32, with a message after each. */
const SEARCH_WINDOW = 2_048;
/** The longest is what readers wait at the most for a log that is back. */
const RECONNECT_PAUSE_MS = { first: 100, longest: 500 };
/** Failed tries in a row before it is logged: one is a server that restarts. */
const TRIES_BEFORE_COMPLAINT = 3;

/** Events that could be read, in order, up to the first that could not. */
type Decode<Event> = (
  stored: readonly RecordedEvent[],
) => Promise<{ readonly events: readonly Event[]; readonly failure?: UnreadableEvent }>;

interface Source {
  readonly connection: Connection;
  readonly logger: Pick<Logger, 'warn'> | undefined;
}

/**
 * The client's subscriptions never resume by themselves. This one does, from the last event that it handed out (never
 * from a server's checkpoint: those are no events), after proof that the log still has that event there.
 */
export async function* subscribe<Event extends { readonly id: string; readonly position: bigint }>(
  { connection, logger }: Source,
  decode: Decode<Event>,
  options: SubscribeOptions,
): AsyncGenerator<Batch<Event>> {
  let last = options.after;
  let wait = RECONNECT_PAUSE_MS.first;
  let failures = 0;
  while (!options.signal.aborted) {
    try {
      if (last) await verifyCheckpoint(connection, last, options.signal);
      for await (const { stored, caughtUp } of batches(connection, last, options)) {
        const { events, failure } = await decode(stored);
        if (events.length > 0 || caughtUp) yield { events, caughtUp: caughtUp && !failure };
        if (failure) throw failure;
        const newest = events.at(-1);
        if (newest) last = { position: newest.position, eventId: newest.id };
        wait = RECONNECT_PAUSE_MS.first;
        failures = 0;
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (!(error instanceof LogUnavailable) && !isAmbiguous(error)) throw error;
      failures += 1;
      if (failures === TRIES_BEFORE_COMPLAINT)
        logger?.warn(
          { err: error, after: last && String(last.position) },
          'event log subscription keeps failing; retrying',
        );
    }
    await pause(wait, undefined, { signal: options.signal }).catch(() => undefined);
    wait = Math.min(wait * 2, RECONNECT_PAUSE_MS.longest);
  }
}

interface StoredBatch {
  readonly stored: readonly RecordedEvent[];
  readonly caughtUp: boolean;
}

/** What the server sends, grouped by what waits together. Ends when the connection does. */
async function* batches(
  connection: Connection,
  after: Checkpoint | undefined,
  { types, batchSize, signal }: SubscribeOptions,
): AsyncGenerator<StoredBatch> {
  const leader = await within(READ_DEADLINE_MS, () => connection.find(), signal);
  const subscription = leader.client.subscribeToAll(
    {
      ...FROM_LEADER,
      fromPosition: after ? { commit: after.position, prepare: after.position } : START,
      filter: eventTypeFilter({
        regex: `^(${types.map((type) => type.replaceAll('.', '\\.')).join('|')})$`,
        maxSearchWindow: SEARCH_WINDOW,
      }),
    },
    { highWaterMark: batchSize },
  );
  const arrival = new Arrival(subscription, AbortSignal.any([signal, leader.lost]));
  try {
    for (;;) {
      const stored: RecordedEvent[] = [];
      drain(subscription, stored, batchSize);
      if (!arrival.caughtUp && stored.length > 0 && stored.length < batchSize) {
        // What is behind comes in a stream: a moment's patience makes few large batches of many small ones.
        await immediate();
        drain(subscription, stored, batchSize);
      }
      if (stored.length > 0) connection.heard();
      const caughtUp = arrival.caughtUp && subscription.readableLength === 0;
      if (stored.length > 0 || arrival.takeNews()) yield { stored, caughtUp };
      else if (arrival.ended) return;
      else await arrival.next();
    }
  } catch (error) {
    connection.note(leader, error);
    throw error;
  } finally {
    arrival.stop();
    // Pending while the client looks for a node.
    void subscription.unsubscribe().catch(() => undefined);
    // What was sent meanwhile must be read away: the client's `dispose` waits for the end of every stream.
    subscription.resume();
  }
}

/** Takes what waits, up to so many events in all. */
function drain(subscription: AllStreamSubscription, into: RecordedEvent[], most: number): void {
  while (into.length < most) {
    const next = subscription.read() as { event?: RecordedEvent } | null;
    if (next === null) return;
    // Other applications may have events of the same type.
    if (next.event && isOwnStream(next.event.streamId)) into.push(next.event);
  }
}

/** Wakes whoever waits for a subscription: something to read, the end of the log reached, a fault, or no more wanted. */
class Arrival {
  caughtUp = false;
  ended = false;
  private news = false;
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
        this.news = true;
        this.wake();
      })
      .on('fellBehind', () => {
        this.caughtUp = false;
      });
    if (signal.aborted) this.end();
    signal.addEventListener('abort', this.end);
  }

  /** Whether the end of the log was reached since the last call. */
  takeNews(): boolean {
    const news = this.news;
    this.news = false;
    return news;
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
