import type { Pool } from 'pg';
import { lastCandidate, MAX_CANDIDATES, presentEvent } from './audit.read-model.js';
import type { AuditCursor, AuditPage, AuditRow } from './audit.read-model.js';
import { hasEvent } from './follow.read-model.js';
import type { FollowCursor } from './follow.read-model.js';
import { Parameters } from '../runner/parameters.js';
import { aboutList, eventsOf, windowOf } from './search.sql.js';
import { inSnapshot } from './snapshot.js';

/** `caused`: types that count if the person caused the event. `concerning`: also if somebody else did. */
export interface EventsOfPerson {
  readonly actorId: string;
  readonly caused: readonly string[];
  readonly concerning: readonly string[];
}

/** `before`: the page is below it. `upTo`: the newest event of the log that counts; the audit must have it. */
export interface PersonsPage {
  readonly before: AuditCursor | undefined;
  readonly limit: number;
  readonly upTo?: FollowCursor | undefined;
}

/**
 * Events of a person, newest first, in the order of time, then of the log. A page may be short or empty: most events about
 * somebody with many followers were caused by others. Undefined: the audit does not have `upTo`, or not yet.
 */
export function eventsOfPerson(
  pool: Pool,
  { actorId, caused, concerning }: EventsOfPerson,
  { before, limit, upTo }: PersonsPage,
): Promise<AuditPage | undefined> {
  return inSnapshot(pool, async (client) => {
    // The worker applies the log in its order, so nothing before it is missing, even if the audit was emptied meanwhile.
    if (upTo && !(await hasEvent(client, upTo))) return undefined;
    const list = aboutList({ kind: 'actor', id: actorId });
    const parameters = new Parameters();
    const newest = list.newest(windowOf({}, before, parameters), MAX_CANDIDATES, parameters);
    const where = `(event.type = ANY (${parameters.add(caused)}::text[]) AND event.actor_id = ${parameters.add(actorId)}
      OR event.type = ANY (${parameters.add(concerning)}::text[]))
      ${upTo ? `AND candidate.position <= ${parameters.add(String(upTo.position))}::numeric` : ''}`;
    const { rows } = await client.query<AuditRow>(
      `${eventsOf(newest, [{ where }], 'candidate.at DESC, candidate.position DESC')} LIMIT ${limit + 1}`,
      parameters.values,
    );
    const events = rows.slice(0, limit).map(presentEvent);
    return {
      events,
      next: rows.length > limit ? events.at(-1) : await lastCandidate(client, list, {}, before),
    };
  });
}
