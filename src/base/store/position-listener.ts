import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { NotificationListener, POSITION_CHANNEL } from './notification-listener.js';
import type { ListenerCallbacks } from './notification-listener.js';
import { isUnreachable } from './unreachable.js';

const HEARTBEAT_MS = 10_000;

export interface PublishedState {
  readonly incarnation: string;
  readonly appliedPosition: bigint | undefined;
}

export interface PositionListenerOptions {
  readonly databaseUrl: string;
  readonly publicationChannel: string;
  readonly read: (client: ClientBase) => Promise<PublishedState | undefined>;
  /** The position of a group with tables of its own. */
  readonly readGroup: (name: string) => Promise<bigint | undefined>;
  readonly logger: Logger;
}

interface Waiter {
  /** Undefined: the published read models. */
  readonly group: string | undefined;
  readonly position: bigint;
  /** Resolves once it is settled. */
  readonly reached: Promise<boolean>;
  readonly settle: (reached: boolean) => void;
}

/**
 * Tracks the positions of the published read models and of the groups beside them without polling, by a notification
 * of each commit. Every ten seconds, and after each reconnection, it reads the published position itself, so that a lost notification does little harm.
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
    return this.wait(undefined, position, timeoutMs).reached;
  }

  /**
   * The same for a group with tables of its own. False at once while the read store is away.
   * @throws any other fault of reading its position.
   */
  async waitForGroup(group: string, position: bigint, timeoutMs: number): Promise<boolean> {
    const waiter = this.wait(group, position, timeoutMs);
    try {
      // Only after that: an announcement between the two is not lost.
      const applied = await this.options.readGroup(group);
      if (applied !== undefined && applied >= position) waiter.settle(true);
    } catch (error) {
      waiter.settle(false);
      if (!isUnreachable(error)) throw error;
    }
    return waiter.reached;
  }

  private wait(group: string | undefined, position: bigint, timeoutMs: number): Waiter {
    const { promise: reached, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => waiter.settle(false), timeoutMs);
    const waiter = {
      group,
      position,
      reached,
      settle: (isReached: boolean) => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve(isReached);
      },
    };
    this.waiters.add(waiter);
    if (this.isStopped) waiter.settle(false);
    return waiter;
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
    const { incarnation, group, position } = announcement;
    if (group !== undefined)
      for (const waiter of this.waiters)
        if (waiter.group === group && position >= waiter.position) waiter.settle(true);
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
    for (const waiter of this.waiters)
      if (waiter.group === undefined && this.hasReached(waiter.position)) waiter.settle(true);
    if (this.state?.appliedPosition !== before) this.emit();
  }

  private emit(): void {
    for (const onChange of this.subscribers) onChange();
  }
}

interface Announcement {
  readonly incarnation?: string;
  readonly group?: string;
  readonly position: bigint;
}

function parseAnnouncement(payload: string): Announcement | undefined {
  try {
    const announced = JSON.parse(payload) as Omit<Announcement, 'position'> & { readonly position: string };
    // Throws for a payload without a position.
    return { ...announced, position: BigInt(announced.position) };
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
