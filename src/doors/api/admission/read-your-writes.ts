import type { Pool } from 'pg';
import { HttpRefusal } from '../../../server/errors.js';
import type { Positions } from './positions.js';

const WAIT_MS = 1_000;

/**
 * Read-your-writes (docs/api-decisions.md, "A write is visible to its writer"). The answer to a write waits until the
 * read models show it, for a second at most. After that, the write is recorded as outstanding, and the next read of its
 * writer, in any process, waits instead.
 */
export class ReadYourWrites {
  constructor(
    private readonly pool: Pool,
    private readonly positions: Positions,
  ) {}

  /**
   * Resolves when later reads of this actor either show the event at `position` or wait for it.
   * @throws {HttpRefusal} `domain_storage_unavailable`: neither is certain, since the outstanding write could not be
   * recorded. The write itself is durable, and repeating its intent is safe.
   */
  async waitForProjection(actorId: string, position: bigint): Promise<void> {
    if (await this.positions.waitFor(position, WAIT_MS)) return;
    try {
      await this.pool.query(
        `INSERT INTO recovery.outstanding_write (actor_id, position) VALUES ($1, $2)
         ON CONFLICT (actor_id) DO UPDATE SET position = greatest(outstanding_write.position, excluded.position)`,
        [actorId, String(position)],
      );
    } catch (cause) {
      throw new HttpRefusal(
        'domain_storage_unavailable',
        'The write is stored but may not be visible yet; retry with the same intentId.',
        { cause, written: 'yes' },
      );
    }
  }
}
