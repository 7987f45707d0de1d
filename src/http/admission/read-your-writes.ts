import type { Pool } from 'pg';
import { HttpRefusal } from '../server/errors.js';
import type { Positions } from './positions.js';

/** How long an acknowledgment waits for the read models to have the write. */
const WAIT_MS = 1_000;

/**
 * A write is visible to its writer when it is acknowledged (decisions.md): its acknowledgment waits for the read
 * models, and where that takes too long the write is noted, so that the writer's next read waits instead, on any process.
 */
export class ReadYourWrites {
  constructor(
    private readonly pool: Pool,
    private readonly positions: Positions,
  ) {}

  /**
   * Resolves when reads of this actor will show `position`, or will refuse to answer without it.
   * @throws {HttpRefusal} neither can be promised. The write is durable, and repeating its intent is safe.
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
        'Retry with the same intentId to learn the outcome.',
        {
          cause,
        },
      );
    }
  }
}
