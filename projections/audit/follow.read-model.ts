import type { ClientBase, Pool } from 'pg';
import { MAX_CANDIDATES, presentEvent } from './audit.read-model.js';
import type { AuditedEvent, AuditRow } from './audit.read-model.js';
import { eventsOf, listsOf } from './search.sql.js';
import { Parameters } from '../runner/parameters.js';
import type { AuditSearch } from './search.sql.js';
import { inSnapshot } from './snapshot.js';

/** The last event that a follower of the audit has read. Its id proves that the log was not replaced since. */
export interface FollowCursor {
  readonly position: bigint;
  readonly eventId: string;
}

/** `none`: before the first event. `unknown`: the audit does not have the event of the cursor, or not yet. */
export interface FollowedEvents {
  readonly events: readonly AuditedEvent[];
  readonly cursor: FollowCursor | 'none' | 'unknown';
}

/** The next events that meet all conditions after the cursor, in the order of the log: no later event comes before one. */
export function eventsAfter(
  pool: Pool,
  search: AuditSearch,
  after: FollowCursor | 'none',
  limit: number,
): Promise<FollowedEvents> {
  return inSnapshot(pool, async (client) => {
    if (after !== 'none' && !(await hasEvent(client, after))) return { events: [], cursor: 'unknown' };
    const parameters = new Parameters();
    const candidates = candidatesAfter(after, parameters);
    const filters = [
      ...listsOf(search).flatMap((list) => list.filter?.(parameters) ?? []),
      { where: `candidate.at >= ${parameters.add(search.since ?? 0)}::bigint` },
      ...(search.until === undefined
        ? []
        : [{ where: `candidate.at < ${parameters.add(search.until)}::bigint` }]),
    ];
    const { rows } = await client.query<AuditRow>(
      `${eventsOf(candidates, filters, 'candidate.position')} LIMIT ${limit}`,
      parameters.values,
    );
    const events = rows.map(presentEvent);
    return { events, cursor: events.length === limit ? (events.at(-1) ?? after) : await read(client, after) };
  });
}

/** Where a reader of events from `since` on begins; undefined: after the newest event. */
export async function followFrom(pool: Pool, since: number | undefined): Promise<FollowCursor | 'none'> {
  // OFFSET 0 reads the times by their index. Postgres would else search the positions for the first late enough one.
  const isEarlier =
    since === undefined
      ? 'true'
      : `position < coalesce((SELECT min(position) FROM (
          SELECT position FROM audit.event WHERE at >= $1::bigint OFFSET 0) AS later), 'infinity')`;
  const { rows } = await pool.query<Row>(
    `SELECT position::text, event_id FROM audit.event WHERE ${isEarlier} ORDER BY event.position DESC LIMIT 1`,
    since === undefined ? [] : [since],
  );
  return rows[0] ? cursorOf(rows[0]) : 'none';
}

interface Row {
  readonly position: string;
  readonly event_id: string;
}

const cursorOf = ({ position, event_id }: Row): FollowCursor => ({
  position: BigInt(position),
  eventId: event_id,
});

export async function hasEvent(client: ClientBase, { position, eventId }: FollowCursor): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM audit.event WHERE position = $1::numeric AND event_id = $2::uuid',
    [String(position), eventId],
  );
  return rowCount === 1;
}

function candidatesAfter(after: FollowCursor | 'none', parameters: Parameters): string {
  const position = parameters.add(after === 'none' ? '-1' : String(after.position));
  return `SELECT at, position, event_id FROM audit.event
    WHERE position > ${position}::numeric ORDER BY position LIMIT ${MAX_CANDIDATES}`;
}

async function read(client: ClientBase, after: FollowCursor | 'none'): Promise<FollowCursor | 'none'> {
  const parameters = new Parameters();
  const { rows } = await client.query<Row>(
    `SELECT position::text, event_id FROM (${candidatesAfter(after, parameters)}) AS candidate
    ORDER BY candidate.position DESC LIMIT 1`,
    parameters.values,
  );
  return rows[0] ? cursorOf(rows[0]) : after;
}
