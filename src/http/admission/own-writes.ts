import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isUnreachable } from '../../store/unreachable.js';
import type { Positions } from './positions.js';

/** How long an acknowledgment waits for the read models to have the write. */
const WAIT_MS = 1_000;

/**
 * A write is visible to its writer when it is acknowledged (decisions.md): its acknowledgment waits for the read
 * models, and where that takes too long the write is noted, so that the writer's next read waits instead, on any process.
 */
export class OwnWrites {
  constructor(
    private readonly pool: Pool,
    private readonly positions: Positions,
    private readonly logger: Logger,
  ) {}

  /** Resolves when reads of this actor will show `position`, or will refuse to answer without it. */
  async settle(actorId: string, position: bigint): Promise<void> {
    if (await this.positions.waitFor(position, WAIT_MS)) return;
    try {
      await this.pool.query(
        `INSERT INTO recovery.outstanding_write (actor_id, incarnation, position)
         SELECT $1, incarnation, $2 FROM recovery.publication
         ON CONFLICT (actor_id, incarnation)
         DO UPDATE SET position = greatest(outstanding_write.position, excluded.position)`,
        [actorId, String(position)],
      );
    } catch (error) {
      // The write is durable, and while its store is down no read answers at all.
      if (!isUnreachable(error)) throw error;
      this.logger.warn({ err: error }, 'a write was acknowledged that could not be noted as outstanding');
    }
  }
}
