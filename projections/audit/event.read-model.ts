import type { Pool } from 'pg';
import type { EventIds } from './subject.js';

/** The actor and grant that caused an event, and the ids in its data. */
export interface IdsOfEvent {
  readonly actorId: string | null;
  readonly grantId: string | null;
  readonly subject: EventIds;
}

/** Undefined: the audit does not have this event at this position, or not yet. */
export async function idsOfEvent(
  pool: Pool,
  { position, eventId }: { readonly position: number; readonly eventId: string },
): Promise<IdsOfEvent | undefined> {
  const { rows } = await pool.query<IdsOfEvent>(
    `SELECT actor_id AS "actorId", grant_id AS "grantId", subject
    FROM audit.event WHERE position = $1 AND event_id = $2`,
    [position, eventId],
  );
  return rows[0];
}
