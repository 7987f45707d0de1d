import type { Client } from 'pg';
import { ProjectionStoppedError, isPoisonFault, messageOf } from '../../runner/faults.js';
import { endSession, sessionClient } from '../../../src/base/store/session-client.js';
import { sleep } from '../../../src/base/support/sleep.js';

/**
 * Session settings for loading events. Commits need not be durable at once: a crash loses only unpublished work,
 * checkpoint included. Batches find rows by keys, which Postgres would not do without statistics (docs/adr/0010).
 */
const LOADING = `
  SET synchronous_commit = off; SET jit = off; SET enable_hashjoin = off; SET enable_mergejoin = off`;

const FINISHING = `
  SET synchronous_commit = off; SET jit = off; RESET enable_hashjoin; RESET enable_mergejoin;
  SET work_mem = '64MB'; SET maintenance_work_mem = '128MB'; SET max_parallel_workers_per_gather = 0`;

const CANCEL_AGAIN_MS = 100;
const LONGEST_END_MS = 5_000;

const applicationNameOf = (schemas: readonly string[]): string => `plaza-build/${schemas.at(-1)}`;

/** One Postgres session of a build, without a statement timeout: an abort cancels its running statement. */
export class BuildConnection {
  private constructor(
    private readonly url: string,
    readonly client: Client,
    private readonly pid: number,
  ) {}

  /**
   * `schemas`: the search path; tables are created in the first. `pipeline`: as for {@link sessionClient}.
   * @throws the reason of `signal`, also if it aborts during the connection: the lock may be lost by then.
   */
  static async open(
    url: string,
    schemas: readonly string[],
    signal?: AbortSignal,
    pipeline = true,
  ): Promise<BuildConnection> {
    const client = sessionClient(url, applicationNameOf(schemas), { queryMs: Infinity, pipeline });
    try {
      await client.connect();
      // Ends the statements of a dead process, which would run on for minutes.
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
   * Ends the sessions of an earlier worker on the same build: a frozen worker holds table locks, and must not write
   * after it wakes up.
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

  /**
   * Runs `work`; an abort of `signal` cancels its running statement.
   * @throws {ProjectionStoppedError} Postgres rejects a build statement, which would fail again; the reason of
   * `signal`.
   */
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
      if (isPoisonFault(error))
        throw new ProjectionStoppedError(
          `Postgres rejected a statement that would fail again: ${messageOf(error)}`,
          undefined,
          {
            cause: error,
          },
        );
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

  /** Cancels repeatedly, since a cancellation between two statements has no effect. */
  private async cancelUntil(isOver: () => boolean): Promise<void> {
    const client = sessionClient(this.url, 'plaza-build');
    try {
      await client.connect();
      while (!isOver()) {
        await client.query('SELECT pg_cancel_backend($1)', [this.pid]);
        await sleep(CANCEL_AGAIN_MS);
      }
    } catch {
      // An unreachable server runs no statement. Closing the session ends the wait for its answer.
      await endSession(this.client);
    } finally {
      await endSession(client);
    }
  }
}
