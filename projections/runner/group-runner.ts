import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { LogReplaced, UnreadableEvent } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import { Backoff } from '../../src/base/support/backoff.js';
import { sleep } from '../../src/base/support/sleep.js';
import { Applier } from './applier.js';
import { ProjectionStoppedError, messageOf, VersionTooOldError } from './faults.js';
import type { GroupState } from './group-state.js';
import { Heartbeat } from './heartbeat.js';
import { dispatcherOf, eventTypesOf } from './projection.js';
import type { Group } from './projection.js';
import type { Target } from './target.js';
import { Settler } from './settler.js';
import { withIdleTicks } from './idle-ticks.js';
import { WorkerConnection } from './worker-connection.js';

const BATCH_SIZE = 1_000;
const BACKOFF_MS = { first: 100, longest: 2_000 };
const OUTDATED_RETRY_MS = 5_000;
const IDLE_TICK_MS = 1_000;
/** Between steps of settling, in which the writes of others go first. */
const SETTLING_TICK_MS = 5;
/**
 * Silence of the log after which the worker releases its lock, because a standby may reach the log. Longer than most
 * elections of a leader.
 */
const GIVE_UP_LOG_MS = 10_000;
const MAX_UNREADABLE_ATTEMPTS = 3;

export const groupLock = (lock: string): string => `plaza/projections/${lock}`;

export interface GroupRunnerOptions {
  readonly group: Group;
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly logger: Logger;
  /**
   * Workers with the same name exclude each other. Undefined: the group's name, for all versions of its projections.
   * Versions may run side by side only if each has tables of its own.
   */
  readonly lock?: string;
  /** `NOTIFY` channel of changes of the target. Undefined: the target never changes. */
  readonly news?: string;
  /**
   * Finds or creates the target, on the connection that holds the lock.
   * @throws {ProjectionStoppedError} The target must not be updated.
   * @throws {VersionTooOldError} A later version owns the target.
   */
  readonly prepare: (client: ClientBase, signal: AbortSignal) => Promise<Target>;
  /** Runs `apply` and observes it, for each batch with events. */
  readonly observeBatch?: (events: number, apply: () => Promise<void>) => Promise<void>;
}

/**
 * Keeps the tables of one group up to date until it is stopped. Of all workers with the same lock, one is active and
 * the others are standbys. The runner retries through outages. A poison event stops the group and is never skipped.
 */
export class GroupRunner {
  private readonly logger: Logger;
  private lastWarning: string | undefined;
  private current: GroupState = { activity: 'starting' };
  private readonly backoff = new Backoff(BACKOFF_MS);
  private unreadable = { id: '', attempts: 0 };

  constructor(private readonly options: GroupRunnerOptions) {
    this.logger = options.logger.child({ group: options.group.name });
  }

  get state(): GroupState {
    return this.current;
  }

  /** Resolves after the current batch when `signal` aborts, or earlier when the group stops. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.session(signal);
      } catch (error) {
        if (error instanceof ProjectionStoppedError) {
          this.logger.fatal(
            { err: error, eventId: error.event?.id, position: error.event?.position },
            'group stopped; an operator must act',
          );
          this.current = { activity: 'stopped', reason: error.message };
          return;
        }
        if (signal.aborted) return;
        this.current = { activity: error instanceof VersionTooOldError ? 'outdated' : 'interrupted' };
        this.warn(error);
        await sleep(this.nextBackoff(error), signal);
      }
    }
  }

  private nextBackoff(error: unknown): number {
    if (error instanceof VersionTooOldError) return OUTDATED_RETRY_MS;
    return this.backoff.next();
  }

  private async session(stop: AbortSignal): Promise<void> {
    const { group, lock = group.name, databaseUrl, prepare, news } = this.options;
    const connection = await WorkerConnection.open(databaseUrl, `plaza-projector-${group.name}`);
    const targetChanged = new AbortController();
    const signal = AbortSignal.any([stop, connection.lost, targetChanged.signal]);
    try {
      if (news !== undefined) await connection.listen([news], () => targetChanged.abort());
      const standby = () => {
        this.current = { activity: 'standby' };
        this.logger.info('another worker holds the lock of this group; standing by');
      };
      if (await connection.lock(groupLock(lock), signal, standby)) {
        const target = await prepare(connection.client, signal);
        this.current = { activity: 'working' };
        await this.follow(connection.client, target, signal);
      }
    } catch (error) {
      if (error instanceof ProjectionStoppedError || !targetChanged.signal.aborted) throw error;
    } finally {
      await connection.close();
    }
    if (connection.lost.aborted && !stop.aborted) throw connection.lost.reason;
  }

  private async follow(client: ClientBase, target: Target, signal: AbortSignal): Promise<void> {
    const { group, log, observeBatch = (_events, apply) => apply() } = this.options;
    const { lingerMs = 0, lingersAfter = 1 } = group;
    await client.query(`SELECT set_config('search_path', quote_ident($1), false)`, [target.schema]);
    const heartbeat = new Heartbeat(client, group.name);
    let caughtUp = false;
    try {
      if (target.build) await heartbeat.beatDuring(target.build(signal));
      const after = await target.checkpoints.read(client);
      const applier = new Applier(client, target.checkpoints, dispatcherOf(group), after);
      const settler = new Settler(client, group);
      const tickMs = () => (caughtUp && settler.hasWork ? SETTLING_TICK_MS : IDLE_TICK_MS);
      const subscription = {
        after,
        types: eventTypesOf(group),
        batchSize: BATCH_SIZE,
        giveUpAfterMs: GIVE_UP_LOG_MS,
      };
      const subscribe = (subscriptionSignal: AbortSignal) =>
        log.subscribe({ ...subscription, signal: subscriptionSignal });
      for await (const batch of withIdleTicks(subscribe, tickMs, signal)) {
        if (batch && batch.events.length > 0)
          await observeBatch(batch.events.length, () => applier.apply(batch.events));
        if (batch) settler.notice(batch.events);
        if (batch?.caughtUp && !caughtUp) await target.checkpoints.clearStop(client);
        caughtUp = batch?.caughtUp ?? caughtUp;
        const isBeat = await heartbeat.beat(caughtUp);
        if (caughtUp) {
          await target.onCaughtUp(client);
          await settler.step();
        } else if (isBeat) await target.onBacklog?.(client);
        if (batch && (batch.events.length > 0 || caughtUp)) this.onSuccess();
        if (batch && caughtUp && lingerMs > 0 && batch.events.length >= lingersAfter)
          await sleep(lingerMs, signal);
      }
    } catch (error) {
      const stopped = await this.asPermanentFault(client, target, error);
      if (!stopped) throw error;
      await target.checkpoints.recordStop(client, stopped.message, stopped.event);
      throw stopped;
    }
  }

  private async asPermanentFault(
    client: ClientBase,
    target: Target,
    error: unknown,
  ): Promise<ProjectionStoppedError | undefined> {
    if (error instanceof ProjectionStoppedError) return error;
    if (error instanceof LogReplaced) {
      await target.onLogReplaced(client, error.message);
      return new ProjectionStoppedError(error.message, undefined, { cause: error });
    }
    if (error instanceof UnreadableEvent && this.countAttempts(error) >= MAX_UNREADABLE_ATTEMPTS)
      return new ProjectionStoppedError(error.message, error.event, { cause: error });
    return undefined;
  }

  private countAttempts({ event: { id } }: UnreadableEvent): number {
    const attempts = this.unreadable.id === id ? this.unreadable.attempts + 1 : 1;
    this.unreadable = { id, attempts };
    return attempts;
  }

  private warn(error: unknown): void {
    const warning = messageOf(error);
    if (warning === this.lastWarning) return;
    const message =
      error instanceof VersionTooOldError
        ? 'tables written by a later release; waiting'
        : 'group interrupted; retrying';
    this.logger.warn({ err: error }, message);
    this.lastWarning = warning;
  }

  private onSuccess(): void {
    if (this.lastWarning !== undefined) this.logger.info('group working again');
    this.lastWarning = undefined;
    this.backoff.reset();
    this.unreadable = { id: '', attempts: 0 };
  }
}
