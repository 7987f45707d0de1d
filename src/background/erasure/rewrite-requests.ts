import type { Pool } from 'pg';
import { personalTablesSql } from './personal-tables.js';
import type { PersonalStore } from './personal-tables.js';

/** Erased accounts that one statement marks. */
const BATCH = 10_000;

export const notRequested = `state = 'erased' AND erasure_finished_at IS NOT NULL
    AND rewrite_requested_for IS DISTINCT FROM erasure_finished_at`;

/**
 * Requests the rewrite of every table with personal data for the erasures that finished since, by this release or the
 * one before, which leaves rows of tables that it does not know. A finished erasure is in the published read models, whose
 * position is that of the request.
 */
const requestSql = `
  WITH published AS (
    SELECT applied_position FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
    WHERE applied_position IS NOT NULL
  ), erased AS (
    UPDATE authority.account SET rewrite_requested_for = erasure_finished_at
    WHERE EXISTS (SELECT FROM published)
      AND actor_id IN (SELECT actor_id FROM authority.account WHERE ${notRequested} LIMIT ${BATCH})
    RETURNING actor_id
  ), browsers AS (
    DELETE FROM authority.known_browser WHERE actor_id IN (SELECT actor_id FROM erased)
  ), passwords AS (
    DELETE FROM authority.wrong_password WHERE actor_id IN (SELECT actor_id FROM erased)
  ), links AS (
    DELETE FROM authority.recovery_link WHERE actor_id IN (SELECT actor_id FROM erased)
  )
  INSERT INTO authority.rewrite (store, table_name, position)
  SELECT store, table_name, applied_position FROM (${personalTablesSql}) AS personal CROSS JOIN published
  WHERE EXISTS (SELECT FROM erased)
  ON CONFLICT (store, table_name) DO UPDATE SET request = excluded.request, position = excluded.position,
    requested_at = CASE WHEN rewrite.done_up_to < rewrite.request THEN rewrite.requested_at ELSE excluded.requested_at END`;

export async function requestRewrites(pool: Pool): Promise<void> {
  await pool.query(requestSql);
}

export async function hasOpenRewrites(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ open: boolean }>({
    name: 'open-rewrites',
    text: `SELECT EXISTS (SELECT FROM authority.rewrite) OR EXISTS (SELECT FROM authority.account WHERE ${notRequested}) AS open`,
  });
  return rows[0]?.open === true;
}

/**
 * A table that has to be rewritten (`doneUpTo` before `request`), or that was, at `rewrittenAt` by the clock of its
 * server, and waits for a checkpoint. `isSettled`: no event from before the request will be applied to it any more, and no
 * request for a mail is left from before an erasure, whose person nobody can tell without its key.
 * `isLarge`: it waits for the set hour.
 */
export interface Rewrite {
  readonly table: string;
  readonly request: bigint;
  /** Time of the oldest open request, by the clock of the read store. */
  readonly requestedAt: Date;
  readonly doneUpTo: bigint;
  readonly rewrittenAt: Date | null;
  readonly isSettled: boolean;
  readonly isLarge: boolean;
}

interface Row {
  readonly table_name: string;
  readonly request: string;
  readonly requested_at: Date;
  readonly done_up_to: string;
  readonly rewritten_at: Date | null;
  readonly is_settled: boolean;
  readonly is_large: boolean;
}

export async function openRewrites(pool: Pool, store: PersonalStore): Promise<readonly Rewrite[]> {
  const { rows } = await pool.query<Row>(
    `SELECT table_name, request, requested_at, done_up_to, rewritten_at, is_large, CASE
      WHEN table_name = 'authority.mail_request' THEN NOT EXISTS (SELECT FROM authority.mail_request WHERE mail_request.requested_at
        <= (SELECT max(rewrite_requested_for) FROM authority.account))
      ELSE incarnation.schema_name IS NULL
        OR retired_at IS NOT NULL OR versions ? 'as_of' OR coalesce(applied_position >= position, false) END AS is_settled
    FROM authority.rewrite LEFT JOIN recovery.incarnation ON schema_name = split_part(table_name, '.', 1)
    WHERE store = $1 ORDER BY table_name`,
    [store],
  );
  return rows.map((row) => ({
    table: row.table_name,
    request: BigInt(row.request),
    requestedAt: row.requested_at,
    doneUpTo: BigInt(row.done_up_to),
    rewrittenAt: row.rewritten_at,
    isSettled: row.is_settled,
    isLarge: row.is_large,
  }));
}

export async function recordLarge(pool: Pool, store: PersonalStore, table: string): Promise<void> {
  await pool.query('UPDATE authority.rewrite SET is_large = true WHERE store = $1 AND table_name = $2', [
    store,
    table,
  ]);
}

/** Records that the table was rewritten for all requests up to `request`. */
export async function recordRewrite(
  pool: Pool,
  store: PersonalStore,
  { table, request, at }: { readonly table: string; readonly request: bigint; readonly at: Date },
): Promise<void> {
  await pool.query(
    'UPDATE authority.rewrite SET done_up_to = $3, rewritten_at = $4 WHERE store = $1 AND table_name = $2',
    [store, table, String(request), at],
  );
}

/** Ends a request, unless there is a newer one. */
export async function endRewrite(
  pool: Pool,
  store: PersonalStore,
  { table, request }: Pick<Rewrite, 'table' | 'request'>,
): Promise<void> {
  await pool.query('DELETE FROM authority.rewrite WHERE store = $1 AND table_name = $2 AND request = $3', [
    store,
    table,
    String(request),
  ]);
}
