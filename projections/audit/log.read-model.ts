import type { Pool } from 'pg';
import { presentEvent } from './audit.read-model.js';
import type { AuditedEvent, AuditRow } from './audit.read-model.js';
import { eventsOf } from './search.sql.js';
import { Parameters } from '../runner/parameters.js';

export interface LogPage {
  readonly events: readonly AuditedEvent[];
  /** The next page is below this position. Undefined: nothing is. */
  readonly next: bigint | undefined;
}

/** The newest events in the order of the log, below a position. */
export async function eventsBelow(pool: Pool, before: bigint | undefined, limit: number): Promise<LogPage> {
  const parameters = new Parameters();
  const window = before === undefined ? 'true' : `position < ${parameters.add(String(before))}::numeric`;
  const newest = `SELECT at, position FROM audit.event WHERE ${window} ORDER BY position DESC LIMIT ${limit + 1}`;
  const { rows } = await pool.query<AuditRow>(
    eventsOf(newest, [], 'candidate.position DESC'),
    parameters.values,
  );
  const events = rows.slice(0, limit).map(presentEvent);
  return { events, next: rows.length > limit ? events.at(-1)?.position : undefined };
}
