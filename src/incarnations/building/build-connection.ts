import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { ProjectionStoppedError, isFaultOfEvents, messageOf } from '../../../projections/runner/faults.js';
import { endSession, sessionClient } from '../../store/session-client.js';

/**
 * Nothing of a build is seen before it is published, and a crash only takes it back to its checkpoint. The rows of a
 * batch are found by keys, of which Postgres knows nothing yet (docs/adr/0010).
 */
const LOADING = `
  SET synchronous_commit = off; SET jit = off; SET enable_hashjoin = off; SET enable_mergejoin = off`;

/** Whole tables are read and sorted: in bounded memory, beside whoever answers reads. */
const FINISHING = `
  SET synchronous_commit = off; SET jit = off; RESET enable_hashjoin; RESET enable_mergejoin;
  SET work_mem = '64MB'; SET maintenance_work_mem = '128MB'; SET max_parallel_workers_per_gather = 0`;

const CANCEL_AGAIN_MS = 100;
/** How long a session that is told to end may take. */
const LONGEST_END_MS = 5_000;

/** Shown in `pg_stat_activity`. The last schema is what is built or verified. */
const applicationNameOf = (schemas: readonly string[]): string => `plaza-build/${schemas.at(-1)}`;

/** One session of a build. Its statements take as long as they take; an abort ends the one that runs. */
export class BuildConnection {
  private constructor(
    private readonly url: string,
    readonly client: Client,
    private readonly pid: number,
  ) {}

  /**
   * `schemas`: where tables are found, first and made in the first. Rejects with the reason of `signal` where that has
   * aborted meanwhile: whoever wakes up without the lock learns it while the connection is made.
   */
  static async open(url: string, schemas: readonly string[], signal?: AbortSignal): Promise<BuildConnection> {
    const client = sessionClient(url, applicationNameOf(schemas), Infinity);
    // What breaks the connection breaks the statement on it, which says so.
    client.on('error', () => undefined);
    try {
      await client.connect();
      // Whose process dies must not go on for minutes.
      await client.query(`
        SET search_path = ${schemas.join(', ')}; SET client_connection_check_interval = '1s';
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5`);
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      signal?.throwIfAborted();
      return new BuildConnection(url, client, rows[0]?.pid ?? 0);
    } catch (error) {
      await endSession(client);
      throw error;
    }
  }

  /**
   * Ends the sessions of whoever was at the same before and lost the lock to us: one that is frozen keeps tables locked, and
   * must do nothing more when it wakes up.
   */
  async endOthers(): Promise<void> {
    await this.client.query(
      `SELECT pg_terminate_backend(pid, $1) FROM pg_stat_activity
      WHERE application_name = current_setting('application_name') AND datname = current_database()
        AND usename = current_user AND pid <> pg_backend_pid()`,
      [LONGEST_END_MS],
    );
  }

  async forLoading(): Promise<Client> {
    await this.client.query(LOADING);
    return this.client;
  }

  async forFinishing(): Promise<Client> {
    await this.client.query(FINISHING);
    return this.client;
  }

  /** Runs `work` on the session; where `signal` aborts, what it is at is cancelled, and this rejects with the reason. */
  async interruptibly<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    let isOver = false;
    let cancelling: Promise<void> | undefined;
    const cancel = () => void (cancelling = this.cancelUntil(() => isOver));
    signal.addEventListener('abort', cancel);
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // What Postgres refuses of our own SQL it refuses again.
      if (isFaultOfEvents(error))
        throw new ProjectionStoppedError(`The build cannot go on: ${messageOf(error)}`, undefined, {
          cause: error,
        });
      throw error;
    } finally {
      isOver = true;
      signal.removeEventListener('abort', cancel);
      await cancelling;
    }
  }

  close(): Promise<void> {
    return endSession(this.client);
  }

  /** Again and again: what arrives between two statements ends neither. */
  private async cancelUntil(isOver: () => boolean): Promise<void> {
    const client = sessionClient(this.url, 'plaza-build');
    client.on('error', () => undefined);
    try {
      await client.connect();
      while (!isOver()) {
        await client.query('SELECT pg_cancel_backend($1)', [this.pid]);
        await pause(CANCEL_AGAIN_MS);
      }
    } catch {
      // A server that cannot be asked for it is not at work either; waiting for its answer ends with the connection.
      await endSession(this.client);
    } finally {
      await endSession(client);
    }
  }
}
