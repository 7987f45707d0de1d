import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { LogReplaced, UnreadableEvent } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import { Applier } from './applier.js';
import { ProjectionStoppedError, messageOf, VersionTooOldError } from './faults.js';
import type { GroupState } from './group-state.js';
import { Heartbeat } from './heartbeat.js';
import { dispatch, typesOf } from './projection.js';
import type { Group } from './projection.js';
import type { Target } from './target.js';
import { withIdleTicks } from './idle-ticks.js';
import { WorkerConnection } from './worker-connection.js';

/** Most events in one transaction: what bounds the memory of a rebuild. */
const BATCH_SIZE = 1_000;
const BACKOFF_MS = { first: 100, longest: 2_000 };
/** How often code that is too old looks whether its time has come again, which takes an operator. */
const STAND_ASIDE_MS = 5_000;
/** How often a target is told that it is at the end of the log while nothing new comes. */
const SILENCE_MS = 1_000;
/** How often in a row an event that cannot be read is asked for before the group stops. */
const UNREADABLE_TRIES = 3;

/** Name of the advisory lock that whoever keeps a group up to date holds. `lock`: see {@link GroupRunnerOptions}. */
export const groupLock = (lock: string): string => `plaza/projections/${lock}`;

export interface GroupRunnerOptions {
  readonly group: Group;
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly logger: Logger;
  /**
   * Names what only one worker at a time may keep up to date. Undefined: the group, whatever the versions of its
   * projections. Only a group whose versions have tables of their own can let them work side by side.
   */
  readonly lock?: string;
  /** Channel of `NOTIFY` that says that the target may be another one from now on. Undefined: it never is. */
  readonly news?: string;
  /**
   * Finds or makes the target, on the connection that holds the lock.
   * @throws {ProjectionStoppedError} It must not be kept up to date. {@link VersionTooOldError} Not by this code.
   */
  readonly prepare: (client: ClientBase, signal: AbortSignal) => Promise<Target>;
}

/**
 * Keeps the tables of one group up to date, for ever. Of all workers with the same lock one works and the others stand
 * by. Outages are waited out; what cannot be applied stops the group, never skips an event.
 */
export class GroupRunner {
  private readonly logger: Logger;
  private complaint: string | undefined;
  private current: GroupState = { activity: 'starting' };
  private wait = BACKOFF_MS.first;
  private unreadable = { id: '', tries: 0 };

  constructor(private readonly options: GroupRunnerOptions) {
    this.logger = options.logger.child({ group: options.group.name });
  }

  get state(): GroupState {
    return this.current;
  }

  /** Resolves when `signal` aborts, after the batch in hand; or earlier, when the group has stopped. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.session(signal);
      } catch (error) {
        if (error instanceof ProjectionStoppedError) {
          this.logger.fatal(
            { err: error, eventId: error.event?.id, position: error.event?.position },
            'the group has stopped',
          );
          this.current = { activity: 'stopped', reason: error.message };
          return;
        }
        if (signal.aborted) return;
        this.current = { activity: error instanceof VersionTooOldError ? 'outdated' : 'interrupted' };
        this.complain(error);
        await pause(this.nextWait(error), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private nextWait(error: unknown): number {
    if (error instanceof VersionTooOldError) return STAND_ASIDE_MS;
    const wait = this.wait;
    this.wait = Math.min(wait * 2, BACKOFF_MS.longest);
    return wait;
  }

  /** One connection's life: lock, prepare, follow. */
  private async session(stop: AbortSignal): Promise<void> {
    const { group, lock = group.name, databaseUrl, prepare, news } = this.options;
    const connection = await WorkerConnection.open(databaseUrl, `plaza-projector-${group.name}`);
    const changed = new AbortController();
    const signal = AbortSignal.any([stop, connection.lost, changed.signal]);
    try {
      connection.client.on('notification', () => changed.abort());
      if (news !== undefined) await connection.client.query(`LISTEN ${news}`);
      const standby = () => {
        this.current = { activity: 'standby' };
        this.logger.info('another worker is at it; standing by');
      };
      if (await connection.lock(groupLock(lock), signal, standby)) {
        const target = await prepare(connection.client, signal);
        this.current = { activity: 'working' };
        await this.follow(connection.client, target, signal);
      }
    } catch (error) {
      if (error instanceof ProjectionStoppedError || !changed.signal.aborted) throw error;
    } finally {
      await connection.close();
    }
    if (connection.lost.aborted && !stop.aborted) throw connection.lost.reason;
  }

  private async follow(client: ClientBase, target: Target, signal: AbortSignal): Promise<void> {
    const { group, log } = this.options;
    await client.query(`SELECT set_config('search_path', quote_ident($1), false)`, [target.schema]);
    const heartbeat = new Heartbeat(client, group.name);
    let caughtUp = false;
    try {
      if (target.build) await heartbeat.beatDuring(target.build(signal));
      const after = await target.progress.read(client);
      const applier = new Applier(client, target.progress, dispatch(group), after);
      const subscription = { after, types: typesOf(group), batchSize: BATCH_SIZE };
      const subscribe = (wanted: AbortSignal) => log.subscribe({ ...subscription, signal: wanted });
      for await (const batch of withIdleTicks(subscribe, SILENCE_MS, signal)) {
        if (batch) await applier.apply(batch.events);
        if (batch?.caughtUp && !caughtUp) await target.progress.resume(client);
        caughtUp = batch?.caughtUp ?? caughtUp;
        await heartbeat.beat(caughtUp);
        if (caughtUp) await target.caughtUp(client);
        if (batch && (batch.events.length > 0 || caughtUp)) this.allIsWell();
        if (batch && caughtUp && group.lingerMs !== undefined)
          await pause(group.lingerMs, undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      const halt = await this.asHalt(client, target, error);
      if (!halt) throw error;
      await target.progress.stop(client, halt.message, halt.event);
      throw halt;
    }
  }

  /** Whether a fault is one that does not pass by itself. */
  private async asHalt(
    client: ClientBase,
    target: Target,
    error: unknown,
  ): Promise<ProjectionStoppedError | undefined> {
    if (error instanceof ProjectionStoppedError) return error;
    if (error instanceof LogReplaced) {
      await target.replaced(client, error.message);
      return new ProjectionStoppedError(error.message, undefined, { cause: error });
    }
    if (error instanceof UnreadableEvent && this.triesOf(error) >= UNREADABLE_TRIES)
      return new ProjectionStoppedError(error.message, error.event, { cause: error });
    return undefined;
  }

  private triesOf({ event: { id } }: UnreadableEvent): number {
    const tries = this.unreadable.id === id ? this.unreadable.tries + 1 : 1;
    this.unreadable = { id, tries };
    return tries;
  }

  /** Once for each outage, not for each try. */
  private complain(error: unknown): void {
    const complaint = messageOf(error);
    if (complaint === this.complaint) return;
    const what =
      error instanceof VersionTooOldError
        ? 'standing aside until what is there is of no later version than this code'
        : 'interrupted; trying again until it works';
    this.logger.warn({ err: error }, what);
    this.complaint = complaint;
  }

  private allIsWell(): void {
    if (this.complaint !== undefined) this.logger.info('working again');
    this.complaint = undefined;
    this.wait = BACKOFF_MS.first;
    this.unreadable = { id: '', tries: 0 };
  }
}
