import { endWhenSilent } from '../../src/base/store/end-when-silent.js';
import { Session } from '../../src/base/store/session.js';
import { sleep } from '../../src/base/support/sleep.js';

const STANDBY_MS = 500;

/**
 * A dedicated connection of one group or task. Lock and transactions share the session, so a process that lost the lock
 * cannot commit. The same holds for a frozen process whose session Postgres has ended.
 */
export class WorkerConnection extends Session {
  static async open(url: string, applicationName: string): Promise<WorkerConnection> {
    const connection = new WorkerConnection(url, applicationName);
    try {
      await connection.open();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async open(): Promise<void> {
    const { client } = this;
    await this.connect();
    // Every statement looks rows up by keys. While young tables lack statistics, Postgres would scan whole tables, or
    // compile the statement each time.
    await client.query('SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off');
    await endWhenSilent(client);
  }

  /**
   * Waits for the exclusive lock of this name; false: `signal` aborted first. Polls, because a session that waits
   * inside Postgres would hold back vacuum. Calls `onStandby` once if another worker has the lock.
   */
  async lock(name: string, signal: AbortSignal, onStandby: () => void = () => undefined): Promise<boolean> {
    for (let isStandby = false; !signal.aborted;) {
      const { rows } = await this.client.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
        [name],
      );
      if (rows[0]?.held) return true;
      if (!isStandby) onStandby();
      isStandby = true;
      await sleep(STANDBY_MS, signal);
    }
    return false;
  }
}
