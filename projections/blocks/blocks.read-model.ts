import type { ReadQuery } from '../runner/read-query.js';

/** All whom the caller blocks, newest first; also who is suspended by now, so that it can be taken back. */
export const ownBlocks: ReadQuery<void, readonly string[]> = {
  name: 'own-blocks',
  values: () => [],
  sql: ({ schema }) => `(
    SELECT coalesce(json_agg(block.target_actor_id ORDER BY block.position DESC), '[]')
    FROM ${schema}.block
    WHERE block.actor_id = caller.actor_id)`,
  present: (json) => json as readonly string[],
};
