import type { Pool } from 'pg';
import { Parameters } from '../runner/parameters.js';
import { isReason, reasonsThatBegin } from './reasons.sql.js';
import type { ReasonCondition } from './reasons.sql.js';
import type { AuditSubject } from './subject.js';

export async function hasSubject(pool: Pool, { kind, id }: AuditSubject): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM audit.about WHERE kind = $1 AND id = $2 LIMIT 1', [
    kind,
    id,
  ]);
  return rowCount === 1;
}

export async function hasId(
  pool: Pool,
  column: 'request_id' | 'client_request_id' | 'intent_id',
  id: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(`SELECT FROM audit.event WHERE ${column} = $1 LIMIT 1`, [id]);
  return rowCount === 1;
}

/** Returns how many different reasons meet the condition, counted up to `limit`. */
export async function reasonsLike(pool: Pool, reason: ReasonCondition, limit: number): Promise<number> {
  const parameters = new Parameters();
  const found = reason.isBegin
    ? reasonsThatBegin(reason.text, parameters)
    : `SELECT FROM audit.event WHERE ${isReason(reason, parameters)} LIMIT 1`;
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM (SELECT FROM (${found}) AS found LIMIT ${limit}) AS few`,
    parameters.values,
  );
  return rows[0]?.count ?? 0;
}
