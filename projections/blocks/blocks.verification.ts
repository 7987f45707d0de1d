import { ERASED } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

/** A block stands from where it was first established since it ended last, as long as there are both. */
export const blockFolds: readonly TableVerification[] = [
  {
    table: 'block',
    key: ['actor_id', 'target_actor_id'],
    expected: `
      WITH turn AS (
        SELECT data->>'actorId' AS actor_id, data->>'targetActorId' AS target_actor_id, n, position, type
        FROM fact WHERE type IN ('block.established', 'block.ended')
      ), ended AS (
        SELECT actor_id, target_actor_id, max(n) AS n FROM turn WHERE type = 'block.ended'
        GROUP BY actor_id, target_actor_id
      )
      SELECT actor_id, target_actor_id, min(turn.position) AS position
      FROM turn LEFT JOIN ended USING (actor_id, target_actor_id)
      WHERE turn.type = 'block.established' AND turn.n > coalesce(ended.n, -1)
        AND actor_id NOT IN ${ERASED} AND target_actor_id NOT IN ${ERASED}
      GROUP BY actor_id, target_actor_id`,
    actual: 'SELECT actor_id, target_actor_id, position FROM block',
  },
];
