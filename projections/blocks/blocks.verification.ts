import { ERASED_ACTORS } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

/** A block is active from its first event after its last end, unless an actor on either side is erased. */
export const blockVerifications: readonly TableVerification[] = [
  {
    table: 'block',
    key: ['actor_id', 'target_actor_id'],
    expected: `
      WITH block_event AS (
        SELECT data->>'actorId' AS actor_id, data->>'targetActorId' AS target_actor_id, n, position, type
        FROM fact WHERE type IN ('block.established', 'block.ended')
      ), ended AS (
        SELECT actor_id, target_actor_id, max(n) AS n FROM block_event WHERE type = 'block.ended'
        GROUP BY actor_id, target_actor_id
      )
      SELECT actor_id, target_actor_id, min(block_event.position) AS position
      FROM block_event LEFT JOIN ended USING (actor_id, target_actor_id)
      WHERE block_event.type = 'block.established' AND block_event.n > coalesce(ended.n, -1)
        AND actor_id NOT IN ${ERASED_ACTORS} AND target_actor_id NOT IN ${ERASED_ACTORS}
      GROUP BY actor_id, target_actor_id`,
    actual: 'SELECT actor_id, target_actor_id, position FROM block',
  },
];
