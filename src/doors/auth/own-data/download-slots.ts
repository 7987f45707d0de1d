import type { PoolClient } from 'pg';
import type { Postgres } from '../../../base/store/postgres.js';

/** Each holds a connection of the database. No application meets this limit, so the published document does not have it. */
const OF_PROCESS = 4;

export interface DownloadSlot {
  /** Call it once. */
  readonly release: () => void;
}

/** One download of a person at a time in the whole network, and a few in each process. */
export class DownloadSlots {
  private running = 0;

  constructor(private readonly postgres: Postgres) {}

  /** A message for the person tells why there is no slot. @throws errors of the store */
  async take(actorId: string): Promise<DownloadSlot | string> {
    if (this.running >= OF_PROCESS)
      return 'Too many people download their data right now. Please try again in some minutes.';
    this.running++;
    let client: PoolClient | undefined;
    const release = () => {
      this.running--;
      // With its connection the lock ends, too, as it does with a killed process.
      client?.release(true);
    };
    try {
      client = await this.postgres.pool.connect();
      const { rows } = await client.query<{ isTaken: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "isTaken"',
        [`plaza/download/${actorId}`],
      );
      if (rows[0]?.isTaken) return { release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    return 'Another download of this data is still running. Wait for its end.';
  }
}
