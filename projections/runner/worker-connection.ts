import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { endWhenSilent } from '../../src/store/held-session.js';
import { endSession, sessionClient } from '../../src/store/session-client.js';

const STANDBY_MS = 500;

/**
 * A connection of its own for one worker of one group. Lock and transactions share it, so that whoever has lost the lock
 * has lost the transaction too, and can commit nothing more: also a worker that was frozen, and of which Postgres has
 * ended the session meanwhile.
 */
export class WorkerConnection {
  private readonly broken = new AbortController();

  private isClosed = false;

  private constructor(readonly client: Client) {
    client.on('error', (error) => this.lose(error));
    client.on('end', () => this.lose(new Error('the connection to Postgres has ended')));
  }

  static async open(url: string, applicationName: string): Promise<WorkerConnection> {
    const client = sessionClient(url, applicationName);
    const connection = new WorkerConnection(client);
    try {
      await client.connect();
      // Every statement finds rows by keys, which Postgres doubts as long as it has no statistics of young tables: then it
      // reads all there is, or compiles the statement each time.
      await client.query('SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off');
      await endWhenSilent(client);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Aborts, with the fault as its reason, when the connection is gone; not when it is closed here. */
  get lost(): AbortSignal {
    return this.broken.signal;
  }

  /**
   * Waits to be the only one under this name, until `signal` aborts (then false). Asks again and again: a session that
   * waits inside Postgres would hold back vacuum for as long. `onStandby` is called once if another one is first.
   */
  async lock(name: string, signal: AbortSignal, onStandby: () => void): Promise<boolean> {
    for (let waiting = false; !signal.aborted;) {
      const { rows } = await this.client.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
        [name],
      );
      if (rows[0]?.held) return true;
      if (!waiting) onStandby();
      waiting = true;
      await pause(STANDBY_MS, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  /** Ends the session, and with it the lock. A server that does not answer is not waited for. */
  close(): Promise<void> {
    this.isClosed = true;
    return endSession(this.client);
  }

  private lose(fault: Error): void {
    if (!this.isClosed) this.broken.abort(fault);
  }
}
