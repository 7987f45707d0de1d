import type { Pool } from 'pg';
import type { AuditSearch } from './search.sql.js';
import type { EventIds } from './subject.js';

export interface IdsOfEvent {
  readonly actorId: string | null;
  readonly grantId: string | null;
  readonly subject: EventIds;
}

/** The first event of a request, by either of its ids, or of an intent. Undefined: the audit has none, or not yet. */
export async function firstEventOf(
  pool: Pool,
  { request, intent }: Pick<AuditSearch, 'request' | 'intent'>,
): Promise<{ readonly eventId: string; readonly actorId: string | null } | undefined> {
  const first = (condition: string) =>
    `(SELECT at, position, event_id, actor_id FROM audit.event WHERE ${condition} ORDER BY at, position LIMIT 1)`;
  const { rows } = await pool.query<{ eventId: string; actorId: string | null }>(
    `SELECT event_id AS "eventId", actor_id AS "actorId" FROM (
      ${['request_id = $1', 'client_request_id = $1', 'intent_id = $2'].map(first).join(' UNION ALL ')}
    ) AS found ORDER BY at, position LIMIT 1`,
    [request ?? null, intent ?? null],
  );
  return rows[0];
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
