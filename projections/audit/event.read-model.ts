import type { Pool } from 'pg';
import { MAX_CANDIDATES } from './audit.read-model.js';
import { Parameters } from '../runner/parameters.js';
import { eventsOf, listsOf, windowOf } from './search.sql.js';
import type { AuditSearch } from './search.sql.js';
import type { EventIds } from './subject.js';

export interface IdsOfEvent {
  readonly actorId: string | null;
  readonly grantId: string | null;
  readonly operatorId: string | null;
  readonly subject: EventIds;
}

/** `actorId` null: no person caused the event. */
export interface PersonsEvent {
  readonly eventId: string;
  readonly actorId: string | null;
}

/**
 * Returns the people who caused the events that a search for a request or intent finds, each once, with their first event.
 * `isMore`: more than `limit`, or events beyond those that one page of a search reads.
 */
export async function peopleOf(
  pool: Pool,
  search: AuditSearch,
  limit: number,
): Promise<{ readonly people: readonly PersonsEvent[]; readonly isMore: boolean }> {
  const [list, ...others] = listsOf(search);
  if (!list) throw new Error('a search has at least one list');
  const parameters = new Parameters();
  const newest = list.newest(windowOf(search, undefined, parameters), MAX_CANDIDATES + 1, parameters);
  const filters = others.flatMap((each) => each.filter?.(parameters) ?? []);
  const { rows } = await pool.query<{ people: readonly PersonsEvent[]; isMore: boolean }>(
    `WITH newest AS (${newest})
    SELECT coalesce(json_agg(person), '[]') AS people, (SELECT count(*) > ${MAX_CANDIDATES} FROM newest) AS "isMore"
    FROM (
      SELECT DISTINCT ON ("actorId") "eventId", "actorId"
      FROM (${eventsOf('SELECT * FROM newest', filters, 'candidate.at')}) AS found
      ORDER BY "actorId", at::bigint, position::numeric LIMIT ${limit + 1}
    ) AS person`,
    parameters.values,
  );
  const [{ people, isMore } = { people: [], isMore: false }] = rows;
  return { people: people.slice(0, limit), isMore: isMore || people.length > limit };
}

/** Undefined: the audit does not have this event at this position, or not yet. */
export async function idsOfEvent(
  pool: Pool,
  { position, eventId }: { readonly position: number; readonly eventId: string },
): Promise<IdsOfEvent | undefined> {
  const { rows } = await pool.query<IdsOfEvent>(
    `SELECT actor_id AS "actorId", grant_id AS "grantId", operator_id AS "operatorId", subject
    FROM audit.event WHERE position = $1 AND event_id = $2`,
    [position, eventId],
  );
  return rows[0];
}
