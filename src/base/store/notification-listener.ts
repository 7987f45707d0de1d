import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { Backoff } from '../support/backoff.js';
import { sleep } from '../support/sleep.js';
import { Session } from './session.js';
import type { NotificationHandler } from './session.js';

/** Each commit of the worker sends `{"incarnation" or "group": …, "position": "…"}`. */
export const POSITION_CHANNEL = 'plaza_position';

/** A commit with a job or an as-of build to do sends an empty notification: the worker that does such work looks at once. */
export const WORK_CHANNEL = 'plaza_work';
export const announceWorkSql = `pg_notify('${WORK_CHANNEL}', '')`;

const RECONNECT_MS = { first: 100, longest: 2_000 };

/**
 * Callbacks for one connection. If one of them rejects, the connection is closed, and the listener opens the next
 * one.
 */
export interface ListenerCallbacks {
  /** Called once LISTEN is in effect, to read the changes whose notifications were lost before. */
  readonly onConnected: () => void | Promise<void>;
  readonly onNotification: NotificationHandler;
  /**
   * Called every `probeEveryMs` to send a query: without an answer, a dead connection looks like one without
   * notifications.
   */
  readonly probe: () => Promise<unknown>;
}

export interface ListenerOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly channels: readonly string[];
  readonly probeEveryMs: number;
  /**
   * Returns the callbacks for the next connection. Called before each attempt to connect; `client` is not connected
   * yet.
   */
  readonly open: (client: ClientBase) => ListenerCallbacks;
  /**
   * Called when a connection is lost or an attempt fails. `isFirst`: true for the first such call after a working
   * connection. Not called on {@link NotificationListener.stop}.
   */
  readonly onDisconnected: (reason: unknown, isFirst: boolean) => void;
}

/**
 * Listens to notifications of Postgres, and reconnects after growing pauses. Notifications sent between two
 * connections are lost: `onConnected` must read what they announced.
 */
export class NotificationListener {
  private readonly stopping = new AbortController();
  private readonly attempted = Promise.withResolvers<void>();
  private running: Promise<void> | undefined;

  constructor(private readonly options: ListenerOptions) {}

  /** Resolves after the first attempt to connect, successful or not; the listener then goes on trying. */
  start(): Promise<void> {
    this.running ??= this.run();
    return this.attempted.promise;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(RECONNECT_MS);
    while (!signal.aborted) {
      await this.listen(backoff);
      this.attempted.resolve();
      if (!signal.aborted) await sleep(backoff.next(), signal);
    }
    this.attempted.resolve();
  }

  /** Opens one connection and listens. Resolves once the connection is lost or the listener stops. */
  private async listen(backoff: Backoff): Promise<void> {
    const { url, applicationName, channels, probeEveryMs, open, onDisconnected } = this.options;
    const session = new Session(url, applicationName);
    const { onConnected, onNotification, probe } = open(session.client);
    const ended = AbortSignal.any([this.stopping.signal, session.lost]);
    const breakOff = (error: unknown) => session.breakOff(error);
    let heartbeat: NodeJS.Timeout | undefined;
    const connect = async () => {
      await session.connect();
      await session.listen(channels, onNotification);
      ended.throwIfAborted();
      heartbeat = setInterval(() => void probe().catch(breakOff), probeEveryMs);
      await onConnected();
      backoff.reset();
      this.attempted.resolve();
    };
    connect().catch(breakOff);
    if (!ended.aborted) await once(ended, 'abort');
    clearInterval(heartbeat);
    if (!this.stopping.signal.aborted) onDisconnected(session.lost.reason, backoff.failures === 0);
    await session.close();
  }
}
