import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { POSITION_CHANNEL } from './progress.js';
import { sessionClient } from './session-client.js';

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
  private readonly waiters = new Set<Waiter>();
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
    const refresh = async () => this.found(await read(client));
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === POSITION_CHANNEL) this.hear(payload);
      else refresh().catch(reject);
    });
    this.hangUp = resolve;
    const heartbeat = setInterval(() => void refresh().catch(reject), HEARTBEAT_MS);
    try {
      await client.connect();
      await client.query(`LISTEN ${POSITION_CHANNEL}; LISTEN ${publicationChannel}`);
      await refresh();
      onConnected();
      await ended;
    } finally {
      clearInterval(heartbeat);
      ended.catch(() => undefined);
      await client.end().catch(() => undefined);
    }
  }

  private hear(payload: string): void {
    const news = JSON.parse(payload) as { incarnation?: string; position: string };
    if (!this.state || news.incarnation !== this.state.incarnation) return;
    this.know({ ...this.state, appliedPosition: BigInt(news.position) });
  }

  private found(row: Published | undefined): void {
    const known = this.state;
    // What was heard while the row was on its way is newer than the row.
    const isOld = row?.incarnation === known?.incarnation && this.hasReached(row?.appliedPosition ?? 0n);
    this.know(row && isOld ? { ...row, appliedPosition: known?.appliedPosition } : row);
  }

  private know(state: Published | undefined): void {
    this.state = state;
    for (const waiter of this.waiters) if (this.hasReached(waiter.position)) waiter.settle(true);
  }
}
