import { DatabaseError } from 'pg';
import type { Pool } from 'pg';
import type { Clock } from '../../base/support/clock.js';
import { Backoff } from '../../base/support/backoff.js';
import { ExclusiveTask } from '../exclusive-task.js';
import type { ExclusiveTaskOptions } from '../exclusive-task.js';
import { personalStores } from './personal-tables.js';
import type { PersonalStore } from './personal-tables.js';
import {
  endRewrite,
  hasOpenRewrites,
  openRewrites,
  recordLarge,
  recordRewrite,
  requestRewrites,
} from './rewrite-requests.js';
import type { Rewrite } from './rewrite-requests.js';
import { RewriteSession } from './rewrite-session.js';
import type { RewriteOutcome, ServerState } from './rewrite-session.js';

const INTERVAL_MS = 2_000;
/** Larger tables, with their indexes, are rewritten in a set hour, because their reads wait meanwhile. */
const AT_ONCE_BYTES = 64 * 1024 * 1024;
/** Below the timeout of a request's statements, which wait meanwhile. */
const AT_ONCE_MS = 4_000;
/** Many erasures in a row must not keep a table locked. */
const GAP_MS = 60_000;
/** A large table is rewritten once in its hour, whether or not that succeeds. */
const LARGE_GAP_MS = 12 * 60 * 60_000;
const PAUSE_MS = { first: 2_000, longest: 60_000 };

export interface RewritesOptions extends ExclusiveTaskOptions {
  readonly pool: Pool;
  readonly urls: Readonly<Record<PersonalStore, string>>;
  readonly clock: Clock;
  /** Hour of the day, in UTC, in which large tables are rewritten. */
  readonly hour: number | 'off';
  readonly atOnceBytes?: number;
}

interface Attempt {
  request: bigint;
  /** The rows that these requests are about were deleted by transactions before this one. */
  deletedBefore: bigint;
  readonly backoff: Backoff;
  notBefore: number;
  isLogged: boolean;
}

interface Due {
  readonly store: PersonalStore;
  readonly table: string;
  readonly attempt: Attempt;
}

/**
 * Removes the bytes of erased data from the files of Postgres: rewrites the tables of open requests, then waits for the
 * checkpoint that removes the write-ahead log from before.
 */
export class Rewrites extends ExclusiveTask {
  protected override readonly lock = 'erasure-rewrites';
  protected override readonly subject = 'rewrites of tables with bytes of erased data';
  private readonly attempts = new Map<string, Attempt>();
  private session: RewriteSession | undefined;

  constructor(private readonly options: RewritesOptions) {
    super(INTERVAL_MS, options);
  }

  override async stop(): Promise<void> {
    const stopped = super.stop();
    await this.session?.close();
    await stopped;
  }

  protected override hasWork(): Promise<boolean> {
    return hasOpenRewrites(this.options.pool);
  }

  protected override async work(): Promise<void> {
    const { pool, urls } = this.options;
    await requestRewrites(pool);
    const errors: unknown[] = [];
    for (const store of personalStores) {
      const rewrites = await openRewrites(pool, store);
      if (rewrites.length === 0 || this.isStopping) continue;
      this.session = new RewriteSession(urls[store]);
      try {
        await this.session.open();
        await this.workIn(store, this.session, rewrites);
      } catch (error) {
        if (!this.isStopping) errors.push(error);
      } finally {
        await this.session.close();
        this.session = undefined;
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'a database could not be rewritten');
  }

  private async workIn(
    store: PersonalStore,
    session: RewriteSession,
    rewrites: readonly Rewrite[],
  ): Promise<void> {
    const { pool, atOnceBytes = AT_ONCE_BYTES } = this.options;
    const state = await session.state();
    const bytes = await session.bytesOf(rewrites.map(({ table }) => table));
    const due = { atOnce: [] as Due[], large: [] as Due[] };
    for (const rewrite of rewrites) {
      const { table } = rewrite;
      const size = bytes.get(table);
      if (size === undefined || isOver(rewrite, state)) {
        await endRewrite(pool, store, rewrite);
        this.attempts.delete(keyOf(store, table));
        continue;
      }
      const isLarge = rewrite.isLarge || size > atOnceBytes;
      if (isLarge && !rewrite.isLarge) await recordLarge(pool, store, table);
      const attempt = this.attemptAt(store, { ...rewrite, isLarge }, state);
      if (attempt) due[isLarge ? 'large' : 'atOnce'].push({ store, table, attempt });
    }
    await this.rewriteAll(store, session, due.atOnce, AT_ONCE_MS);
    for (const each of due.large) if (this.isHour()) await this.rewriteAll(store, session, [each], 0);
  }

  /**
   * Returns the attempt if its time has come: the rows that it is about are deleted in the table, and no session can see
   * them any more. A rewrite would copy them for it.
   */
  private attemptAt(
    store: PersonalStore,
    { table, request, requestedAt, doneUpTo, rewrittenAt, isSettled, isLarge }: Rewrite,
    { now, next, oldest }: ServerState,
  ): Attempt | undefined {
    if (doneUpTo >= request || !isSettled) return undefined;
    const gapMs = isLarge ? LARGE_GAP_MS : GAP_MS;
    if (rewrittenAt && now.getTime() - rewrittenAt.getTime() < gapMs) return undefined;
    if (isLarge && this.isHour() && requestedAt.getTime() >= this.hourBegan()) return undefined;
    const key = keyOf(store, table);
    let attempt = this.attempts.get(key);
    // Another process may have rewritten the table since.
    if (!attempt || attempt.request <= doneUpTo) {
      const backoff = new Backoff(PAUSE_MS);
      attempt = { request, deletedBefore: next, backoff, notBefore: 0, isLogged: false };
      this.attempts.set(key, attempt);
    } else if (isLarge && attempt.request < request && !this.isHour()) {
      attempt.request = request;
      attempt.deletedBefore = next;
    }
    const isTime = oldest >= attempt.deletedBefore && this.options.clock.now() >= attempt.notBefore;
    return isTime ? attempt : undefined;
  }

  private isHour(): boolean {
    return new Date(this.hourBegan()).getUTCHours() === this.options.hour;
  }

  private hourBegan(): number {
    return new Date(this.options.clock.now()).setUTCMinutes(0, 0, 0);
  }

  private async rewriteAll(
    store: PersonalStore,
    session: RewriteSession,
    due: readonly Due[],
    limitMs: number,
  ): Promise<void> {
    const { pool } = this.options;
    const done: Due[] = [];
    for (const each of due) {
      if (this.isStopping) return;
      if (await this.rewrite(session, each, limitMs)) done.push(each);
    }
    if (done.length === 0) return;
    const at = await session.fillWal();
    for (const { table, attempt } of done) {
      await recordRewrite(pool, store, { table, request: attempt.request, at });
      this.attempts.delete(keyOf(store, table));
    }
  }

  private async rewrite(
    session: RewriteSession,
    { store, table, attempt }: Due,
    limitMs: number,
  ): Promise<boolean> {
    const { clock, logger, pool } = this.options;
    const begun = performance.now();
    const pauseMs = attempt.backoff.next();
    // Also if Postgres breaks down at this table.
    attempt.notBefore = clock.now() + (limitMs > 0 ? pauseMs : LARGE_GAP_MS);
    const outcome = await session.rewrite(table, limitMs);
    if (outcome === 'rewritten') {
      const ms = Math.round(performance.now() - begun);
      logger.info({ store, table, ms }, 'rewrote a table to remove bytes of erased data');
      return true;
    }
    if (outcome === 'locked') attempt.notBefore = clock.now() + pauseMs;
    if (outcome === 'slow') await recordLarge(pool, store, table);
    this.report({ store, table, attempt }, outcome);
    return false;
  }

  /** The detail of an error can quote a row. */
  private report({ store, table, attempt }: Due, outcome: RewriteOutcome): void {
    const isError = outcome instanceof DatabaseError;
    if ((!isError && outcome !== 'refused') || attempt.isLogged) return;
    attempt.isLogged = true;
    this.options.logger.error(
      { store, table, ...(isError && { code: outcome.code, reason: outcome.message }) },
      `Postgres ${isError ? 'fails' : 'refuses'} to rewrite a table, so its files keep bytes of erased data; ${
        isError
          ? 'remove the cause, and it is tried again'
          : 'make the role of this process the owner of the database'
      }`,
    );
  }
}

const keyOf = (store: PersonalStore, table: string): string => `${store} ${table}`;

/** True if a checkpoint began after the table was rewritten. */
const isOver = ({ request, doneUpTo, rewrittenAt }: Rewrite, { checkpointAt }: ServerState): boolean =>
  doneUpTo >= request && rewrittenAt !== null && checkpointAt > rewrittenAt;
