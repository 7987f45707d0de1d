import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { POSITION_CHANNEL } from '../../projections/runner/checkpoint-store.js';
import { endSession, sessionClient } from '../store/session-client.js';

/** A silent connection is either one without news or one that is dead: only a question tells. */
const HEARTBEAT_MS = 10_000;
const RECONNECT_PAUSE_MS = { first: 100, longest: 2_000 };

/** What is published, and how far it came. */
export interface Published {
  readonly incarnation: string;
  /** Undefined: no event is applied yet. */
  readonly appliedPosition: bigint | undefined;
}

export interface PositionListenerOptions {
  readonly databaseUrl: string;
  /** Channel of `NOTIFY` that says that what is published has changed. */
  readonly publicationChannel: string;
  /** Reads what is published; undefined: nothing yet. */
  readonly read: (client: ClientBase) => Promise<Published | undefined>;
  readonly logger: Logger;
}

interface Waiter {
  readonly position: bigint;
  readonly settle: (reached: boolean) => void;
}

/**
 * Knows, without polling, how far the published read models are: one connection that listens to what workers announce
 * with each commit. It reconnects by itself and then reads anew, so that nothing missed is missed for long.
 */
export class PositionListener {
  private state: Published | undefined;
  /** Newest position that was announced on this connection, for each incarnation. */
  private readonly heard = new Map<string, bigint>();
  /** How often what is published may have changed: what is announced counts only after it was read anew. */
  private changes = 0;
  private changesRead = 0;
  private readonly waiters = new Set<Waiter>();
  private readonly subscribers = new Set<() => void>();
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private hangUp: (() => void) | undefined;

  constructor(private readonly options: PositionListenerOptions) {}

  /** Listens until `stop`. Does not wait for the first connection. */
  start(): void {
    this.running ??= this.run();
  }

  /** Ends the connection. Whoever waits is told that the position was not reached. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.hangUp?.();
    for (const waiter of this.waiters) waiter.settle(false);
    await this.running;
  }

  /** What is published, with the newest position that was heard of. Undefined: nothing, or not known yet. */
  current(): Published | undefined {
    return this.state;
  }

  /**
   * Whether the published read models show the event at `position` within `timeoutMs`. The position must be that of an
   * event that the group handles: nothing is announced for others.
   */
  waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    if (this.hasReached(position)) return Promise.resolve(true);
    if (this.stopping.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter = {
        position,
        settle: (reached: boolean) => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.waiters.add(waiter);
    });
  }

  /** Calls back each time that what is published has changed, or how far it is. Answers how to end that. */
  subscribe(onNews: () => void): () => void {
    this.subscribers.add(onNews);
    return () => void this.subscribers.delete(onNews);
  }

  private hasReached(position: bigint): boolean {
    return (this.state?.appliedPosition ?? -1n) >= position;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let wait = RECONNECT_PAUSE_MS.first;
    while (!signal.aborted) {
      try {
        await this.listen(() => (wait = RECONNECT_PAUSE_MS.first));
      } catch (error) {
        if (wait === RECONNECT_PAUSE_MS.first)
          this.options.logger.warn({ err: error }, 'no news of positions; connecting again until it works');
        await pause(wait, undefined, { signal }).catch(() => undefined);
        wait = Math.min(wait * 2, RECONNECT_PAUSE_MS.longest);
      }
    }
  }

  /** One connection's life. Resolves when it is told to stop, rejects when the connection is lost. */
  private async listen(onConnected: () => void): Promise<void> {
    const { databaseUrl, publicationChannel, read } = this.options;
    const client = sessionClient(databaseUrl, 'plaza-position-listener');
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    client.on('error', reject).on('end', () => reject(new Error('the connection to Postgres has ended')));
    const refresh = oneAtATime(async () => {
      const { changes } = this;
      const row = await read(client);
      // Otherwise it has changed under the question, which is asked again.
      if (changes === this.changes) this.found(row);
    });
    client.on('notification', ({ channel, payload = '' }) => {
      const isChange = channel !== POSITION_CHANNEL;
      if (isChange) this.changes++;
      if (isChange || !this.onNotification(payload)) refresh().catch(reject);
    });
    this.hangUp = resolve;
    this.heard.clear();
    this.changes++;
    const heartbeat = setInterval(() => void refresh().catch(reject), HEARTBEAT_MS);
    const open = async () => {
      await client.connect();
      await client.query(`LISTEN ${POSITION_CHANNEL}; LISTEN ${publicationChannel}`);
      await refresh();
      onConnected();
    };
    open().catch(reject);
    try {
      await ended;
    } finally {
      clearInterval(heartbeat);
      await endSession(client);
    }
  }

  /** False: that is no announcement. */
  private onNotification(payload: string): boolean {
    const news = newsOf(payload);
    if (!news) return false;
    const { incarnation, position } = news;
    if (incarnation === undefined || position <= (this.heard.get(incarnation) ?? -1n)) return true;
    this.heard.set(incarnation, position);
    if (this.changes === this.changesRead && incarnation === this.state?.incarnation)
      this.updateState(this.state);
    return true;
  }

  private found(row: Published | undefined): void {
    const isChange = this.changesRead !== this.changes;
    this.changesRead = this.changes;
    // Others are of no interest: builds, and what was published before.
    for (const incarnation of this.heard.keys())
      if (incarnation !== row?.incarnation) this.heard.delete(incarnation);
    this.updateState(row);
    if (isChange) this.emit();
  }

  /** A row may be older than what was heard while it was on its way. */
  private updateState(state: Published | undefined): void {
    const heard = state && this.heard.get(state.incarnation);
    const isNews = heard !== undefined && heard > (state?.appliedPosition ?? -1n);
    const before = this.state?.appliedPosition;
    this.state = state && isNews ? { ...state, appliedPosition: heard } : state;
    for (const waiter of this.waiters) if (this.hasReached(waiter.position)) waiter.settle(true);
    if (this.state?.appliedPosition !== before) this.emit();
  }

  private emit(): void {
    for (const onNews of this.subscribers) onNews();
  }
}

interface News {
  /** Undefined: of a group outside of any incarnation. */
  readonly incarnation: string | undefined;
  readonly position: bigint;
}

/** Anybody may say anything on a channel. */
function newsOf(payload: string): News | undefined {
  try {
    const { incarnation, position } = JSON.parse(payload) as { incarnation?: string; position: string };
    return { incarnation, position: BigInt(position) };
  } catch {
    return undefined;
  }
}

/** Whoever asks while the work is done gets it done once more after that. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isWanted = false;
  const run = async () => {
    try {
      while (isWanted) {
        isWanted = false;
        await work();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isWanted = true;
    return (running ??= run());
  };
}
