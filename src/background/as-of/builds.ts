import { DatabaseError } from 'pg';
import type { ClientBase, Pool } from 'pg';
import { announceWorkSql } from '../../base/store/notification-listener.js';
import { requestedWorkOf } from '../../../projections/jobs/job.js';
import type { JobProgress, RequestedWork, RequestedWorkRow } from '../../../projections/jobs/job.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import type { Group, Versions } from '../../../projections/runner/projection.js';

type Database = Pool | ClientBase;

/** A build is made once, and kept so long after it ended. Milliseconds. */
export const AS_OF_KEPT_MS = 24 * 60 * 60_000;

/**
 * Marks the incarnations of as-of builds by a version that no group has: no worker of any release adopts or publishes
 * one. Raise it when a build holds something else.
 */
export const asOfVersionsOf = (group: Group): Versions => ({ ...versionsOf(group), as_of: 1 });

/** An event of the log, and its time in Unix milliseconds. */
export interface Moment {
  readonly position: bigint;
  readonly eventId: string;
  readonly at: number;
}

export type AsOfState = 'requested' | 'building' | 'built' | 'failed';

/** Read models as of a moment. */
export interface AsOfBuild extends Moment, RequestedWork {
  readonly state: AsOfState;
  readonly schemaName: string | null;
}

interface Row extends RequestedWorkRow {
  readonly position: string;
  readonly event_id: string;
  readonly at: string;
  readonly state: AsOfState;
  readonly schema_name: string | null;
}

const buildOf = (row: Row): AsOfBuild => ({
  ...requestedWorkOf(row),
  position: BigInt(row.position),
  eventId: row.event_id,
  at: Number(row.at),
  state: row.state,
  schemaName: row.schema_name,
});

/** Builds of this code. $1: its versions. */
const buildsSql = `
  SELECT as_of.*, schema_name FROM recovery.as_of LEFT JOIN recovery.incarnation USING (incarnation)
  WHERE (incarnation IS NULL OR versions = $1)`;

export async function findAsOf(
  database: Database,
  group: Group,
  position: bigint,
): Promise<AsOfBuild | undefined> {
  const { rows } = await database.query<Row>(`${buildsSql} AND position = $2::numeric`, [
    asOfVersionsOf(group),
    String(position),
  ]);
  return rows[0] && buildOf(rows[0]);
}

export async function unfinishedAsOf(database: Database, group: Group): Promise<AsOfBuild | undefined> {
  const { rows } = await database.query<Row>(`${buildsSql} AND state IN ('requested', 'building')`, [
    asOfVersionsOf(group),
  ]);
  return rows[0] && buildOf(rows[0]);
}

/** Newest first. */
export async function listAsOf(database: Database, group: Group): Promise<readonly AsOfBuild[]> {
  const { rows } = await database.query<Row>(`${buildsSql} ORDER BY requested_at DESC`, [
    asOfVersionsOf(group),
  ]);
  return rows.map(buildOf);
}

export interface AsOfRequest {
  readonly moment: Moment;
  readonly requestedBy: string;
  readonly now: number;
}

/**
 * Requests a build from the workers, unless it exists. Of the unfinished ones there is one at most.
 * False: another one is unfinished.
 */
export async function requestAsOf(
  database: Pool,
  group: Group,
  { moment: { position, eventId, at }, requestedBy, now }: AsOfRequest,
): Promise<boolean> {
  // A failed one, or one of other code, is made anew. Its incarnation goes as every one without a row here does.
  await database.query(
    `DELETE FROM recovery.as_of WHERE position = $1::numeric AND (state = 'failed' OR EXISTS (
      SELECT FROM recovery.incarnation WHERE incarnation.incarnation = as_of.incarnation AND versions <> $2))`,
    [String(position), asOfVersionsOf(group)],
  );
  try {
    await database.query(
      `INSERT INTO recovery.as_of (position, event_id, at, requested_by, requested_at, state, updated_at)
      VALUES ($1, $2, $3, $4, $5, 'requested', $5) ON CONFLICT (position) DO NOTHING RETURNING ${announceWorkSql}`,
      [String(position), eventId, at, requestedBy, new Date(now)],
    );
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'as_of_unfinished') return false;
    throw error;
  }
  return true;
}

/**
 * Returns false, and changes nothing, if the build is over, or gone, or made anew. A failed one loses its incarnation, which is
 * then dropped. `now`: Unix milliseconds.
 */
export async function recordAsOf(
  database: Database,
  { position, incarnation }: Pick<AsOfBuild, 'position' | 'incarnation'>,
  { state, progress, message, now }: AsOfChange,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE recovery.as_of SET state = $2, step = coalesce($3, step), done = coalesce($4, done),
      total = coalesce($5, total), rate = coalesce($6, rate), message = $7, updated_at = $8,
      began_at = coalesce(began_at, $8), incarnation = CASE WHEN $2 <> 'failed' THEN incarnation END
    WHERE position = $1::numeric AND incarnation IS NOT DISTINCT FROM $9 AND state IN ('requested', 'building')`,
    [
      String(position),
      state,
      progress?.step,
      progress?.done,
      progress?.total,
      progress?.rate,
      message ?? null,
      new Date(now),
      incarnation,
    ],
  );
  return rowCount === 1;
}

export interface AsOfChange {
  readonly state: Exclude<AsOfState, 'requested'>;
  readonly progress?: JobProgress | undefined;
  readonly message?: string | undefined;
  readonly now: number;
}

/**
 * Seconds that a build up to this position will take: as the newest one did, else as the newest rebuild, which verifies
 * every table, too. Undefined: neither was made.
 */
export async function expectedSeconds(database: Database, position: bigint): Promise<number | undefined> {
  const { rows } = await database.query<{ seconds: number | null }>(
    `SELECT coalesce(
      (SELECT extract(epoch FROM updated_at - began_at)::double precision / greatest(position::double precision, 1)
        FROM recovery.as_of WHERE state = 'built' ORDER BY updated_at DESC LIMIT 1),
      (SELECT done::double precision / rate / greatest(applied_position::double precision, 1)
        FROM recovery.job JOIN recovery.incarnation USING (incarnation)
        WHERE kind IN ('rebuild', 'recover') AND state = 'published' AND rate > 0 AND done > 0
        ORDER BY requested_at DESC LIMIT 1)) * $1::double precision AS seconds`,
    [String(position)],
  );
  const seconds = rows[0]?.seconds;
  return seconds === null || seconds === undefined ? undefined : Math.ceil(seconds);
}
