import type { Pool } from 'pg';
import { personalTablesSql } from './personal-tables.js';
import type { PersonalStore } from './personal-tables.js';
import { notRequested } from './rewrite-requests.js';

/**
 * A table whose files still have bytes of erased data. It waits for its rewrite, at once or in the set hour (`large`),
 * or for the checkpoint that removes the write-ahead log. `seconds`: since the request.
 */
export interface PendingRewrite {
  readonly store: PersonalStore;
  readonly table: string;
  readonly state: 'rewrite' | 'large' | 'checkpoint';
  readonly seconds: number;
}

/** Every table is pending as long as an erasure has not requested its rewrite. */
const pendingSql = `
  WITH begun AS (
    SELECT EXISTS (SELECT FROM authority.account WHERE state = 'erased' AND erasure_finished_at IS NULL)
      OR EXISTS (SELECT FROM authority.account WHERE ${notRequested}) AS any_erasure
  )
  SELECT store, table_name AS table, coalesce(extract(epoch FROM now() - requested_at), 0)::float8 AS seconds,
    CASE WHEN any_erasure OR done_up_to < request THEN CASE WHEN is_large THEN 'large' ELSE 'rewrite' END
      ELSE 'checkpoint' END AS state
  FROM begun CROSS JOIN (
    authority.rewrite FULL JOIN (SELECT * FROM (${personalTablesSql}) AS every WHERE (SELECT any_erasure FROM begun))
      AS personal USING (store, table_name))
  ORDER BY store, table_name`;

export async function pendingRewrites(pool: Pool): Promise<readonly PendingRewrite[]> {
  return (await pool.query<PendingRewrite>(pendingSql)).rows;
}
