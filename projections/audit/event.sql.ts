import type { Statement } from '../runner/projection.js';
import type { EventIds } from './subject.js';

export interface AuditedRow {
  readonly position: string;
  readonly event_id: string;
  readonly at: number;
  readonly type: string;
  readonly act: string;
  readonly stream: string;
  readonly revision: string;
  readonly subject: EventIds;
  readonly actor_id?: string | undefined;
  readonly app_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly intent_id?: string | undefined;
  readonly request_id: string;
  readonly client_request_id?: string | undefined;
  readonly address_class?: string | undefined;
  readonly operator_id?: string | undefined;
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
  readonly cause?: string | undefined;
}

export const HOUR_MS = 3_600_000;

const columns = `position, event_id, at, type, stream, revision, subject, actor_id, app_id, grant_id, intent_id,
        request_id, client_request_id, address_class, operator_id, operator, reason, cause`;

/** Rows, and the rollups of what applications did. Only inserted rows are counted: applied twice, an event counts once. */
export const insertEvent: Statement<AuditedRow> = {
  name: 'event.note',
  table: 'event',
  key: (row) => row.position,
  sql: `
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS row(position numeric, event_id uuid, at bigint, type text, act text,
        stream text, revision numeric, subject json, actor_id text, app_id text, grant_id text, intent_id text,
        request_id text, client_request_id text, address_class text, operator_id text, operator text, reason text, cause text)
    ), added AS (
      INSERT INTO event (${columns}) SELECT ${columns} FROM given
      ON CONFLICT (position) DO NOTHING RETURNING position
    ), counted AS MATERIALIZED (
      SELECT app_id, actor_id, act, at - at % ${HOUR_MS} AS hour, count(*) AS events
      FROM given JOIN added USING (position) WHERE app_id IS NOT NULL GROUP BY 1, 2, 3, 4
    ), hours AS (
      INSERT INTO app_hour (app_id, hour, act, events)
      SELECT app_id, hour, act, sum(events) FROM counted GROUP BY 1, 2, 3
      ON CONFLICT (app_id, hour, act) DO UPDATE SET events = app_hour.events + excluded.events
    ), actor_hours AS (
      INSERT INTO app_actor_hour (app_id, hour, actor_id, events)
      SELECT app_id, hour, actor_id, sum(events) FROM counted WHERE actor_id IS NOT NULL GROUP BY 1, 2, 3
      ON CONFLICT (app_id, hour, actor_id) DO UPDATE SET events = app_actor_hour.events + excluded.events
    )
    INSERT INTO app_actor (app_id, actor_id, events)
    SELECT app_id, actor_id, sum(events) FROM counted WHERE actor_id IS NOT NULL GROUP BY 1, 2
    ON CONFLICT (app_id, actor_id) DO UPDATE SET events = app_actor.events + excluded.events`,
};
