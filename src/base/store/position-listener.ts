import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { NotificationListener, POSITION_CHANNEL } from './notification-listener.js';
import type { ListenerCallbacks } from './notification-listener.js';

const HEARTBEAT_MS = 10_000;

export interface PublishedState {
  readonly incarnation: string;
  readonly appliedPosition: bigint | undefined;
}

export interface PositionListenerOptions {
  readonly databaseUrl: string;
  readonly publicationChannel: string;
  readonly read: (client: ClientBase) => Promise<PublishedState | undefined>;
  readonly logger: Logger;
}

interface Waiter {
  readonly position: bigint;
  readonly settle: (reached: boolean) => void;
}

/**
 * Tracks the position of the published read models without polling, by a notification of each commit. Every ten
 * seconds, and after each reconnection, it reads the position itself, so that a lost notification does little harm.
 */
export class PositionListener {
  private state: PublishedState | undefined;
  private readonly announced = new Map<string, bigint>();
  /**
   * Number of changes of the publication so far. After a change, notifications count only once the state is read again.
   */
  private changes = 0;
  private changesRead = 0;
  private readonly waiters = new Set<Waiter>();
  private readonly subscribers = new Set<() => void>();
  private readonly listener: NotificationListener;
  private isStopped = false;

  constructor(private readonly options: PositionListenerOptions) {
    const { databaseUrl, publicationChannel, logger } = options;
    this.listener = new NotificationListener({
      url: databaseUrl,
      applicationName: 'plaza-position-listener',
      channels: [POSITION_CHANNEL, publicationChannel],
      probeEveryMs: HEARTBEAT_MS,
      open: (client) => this.listenOn(client),
      onDisconnected: (reason, isFirst) => {
        if (isFirst)
          logger.warn(
            { err: reason },
            'lost the connection that announces positions of the read models; reconnecting',
          );
      },
    });
  }

  start(): void {
    void this.listener.start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const waiter of this.waiters) waiter.settle(false);
    await this.listener.stop();
  }

  current(): PublishedState | undefined {
    return this.state;
  }

  /**
   * Resolves to true once the published read models show the event at `position`, to false after `timeoutMs`.
   * The event must be of a type that the group handles: no other position is announced.
   */
  waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    if (this.hasReached(position)) return Promise.resolve(true);
    if (this.isStopped) return Promise.resolve(false);
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

  subscribe(onChange: () => void): () => void {
    this.subscribers.add(onChange);
    return () => void this.subscribers.delete(onChange);
  }

  private hasReached(position: bigint): boolean {
    return (this.state?.appliedPosition ?? -1n) >= position;
  }

  private listenOn(client: ClientBase): ListenerCallbacks {
    const refresh = coalesce(async () => {
      const { changes } = this;
      const row = await this.options.read(client);
      if (changes === this.changes) this.applyRow(row);
    });
    this.announced.clear();
    this.changes++;
    return {
      onConnected: refresh,
      onNotification: async (channel, payload) => {
        const isChange = channel !== POSITION_CHANNEL;
        if (isChange) this.changes++;
        if (isChange || !this.onNotification(payload)) await refresh();
      },
      probe: refresh,
    };
  }

  private onNotification(payload: string): boolean {
    const announcement = parseAnnouncement(payload);
    if (!announcement) return false;
    const { incarnation, position } = announcement;
    if (incarnation === undefined || position <= (this.announced.get(incarnation) ?? -1n)) return true;
    this.announced.set(incarnation, position);
    if (this.changes === this.changesRead && incarnation === this.state?.incarnation)
      this.updateState(this.state);
    return true;
  }

  private applyRow(row: PublishedState | undefined): void {
    const isChange = this.changesRead !== this.changes;
    this.changesRead = this.changes;
    for (const incarnation of this.announced.keys())
      if (incarnation !== row?.incarnation) this.announced.delete(incarnation);
    this.updateState(row);
    if (isChange) this.emit();
  }

  /**
   * Takes over the state that was read, with the position of a notification that arrived meanwhile if that is newer.
   */
  private updateState(state: PublishedState | undefined): void {
    const newest = state && this.announced.get(state.incarnation);
    const isNewer = newest !== undefined && newest > (state?.appliedPosition ?? -1n);
    const before = this.state?.appliedPosition;
    this.state = state && isNewer ? { ...state, appliedPosition: newest } : state;
    for (const waiter of this.waiters) if (this.hasReached(waiter.position)) waiter.settle(true);
    if (this.state?.appliedPosition !== before) this.emit();
  }

  private emit(): void {
    for (const onChange of this.subscribers) onChange();
  }
}

interface Announcement {
  readonly incarnation: string | undefined;
  readonly position: bigint;
}

function parseAnnouncement(payload: string): Announcement | undefined {
  try {
    const { incarnation, position } = JSON.parse(payload) as { incarnation?: string; position: string };
    return { incarnation, position: BigInt(position) };
  } catch {
    return undefined;
  }
}

/** Returns a function that runs `work`, never twice at a time: calls during a run cause one more run after it. */
function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isRequested = false;
  const run = async () => {
    try {
      while (isRequested) {
        isRequested = false;
        await work();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isRequested = true;
    return (running ??= run());
  };
}
