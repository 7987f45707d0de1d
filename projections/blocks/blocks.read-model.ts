import type { ReadQuery } from '../runner/read-query.js';

/** The actors that the caller blocks, newest first. Suspended actors are included, so that the block can be ended. */
export const ownBlocks: ReadQuery<void, readonly string[]> = {
  name: 'own-blocks',
  values: () => [],
  sql: ({ schema }) => `(
    SELECT coalesce(json_agg(block.target_actor_id ORDER BY block.position DESC), '[]')
    FROM ${schema}.block
    WHERE block.actor_id = caller.actor_id AND NOT EXISTS (
      SELECT FROM ${schema}.actor target
      WHERE target.actor_id = block.target_actor_id AND target.state = 'erased' OFFSET 0))`,
  present: (json) => json as readonly string[],
};
