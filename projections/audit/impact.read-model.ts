import type { Pool } from 'pg';
import { z } from 'zod';
import { HOUR_MS } from './event.sql.js';

/** Unix milliseconds, inclusive and exclusive; each hour that they touch counts whole. Undefined: unlimited. */
export interface ImpactWindow {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Events by type; relations as `relation.established (follow)`. */
const acts = z.record(z.string(), z.number());

export const impactShape = z.strictObject({
  actors: z.number(),
  acts,
  /** Begins of the first and the last hour with an event; null: none. */
  first: z.number().nullable(),
  last: z.number().nullable(),
  hours: z.array(z.strictObject({ hour: z.number(), actors: z.number(), acts })).readonly(),
  mostActive: z.array(z.strictObject({ actorId: z.string(), events: z.number() })).readonly(),
});

export type ApplicationImpact = z.infer<typeof impactShape>;

const MOST_ACTIVE = 10;
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Counts the events that an application caused in the window, from rollups. `hours`: the most to list. */
export async function applicationImpact(
  pool: Pool,
  appId: string,
  { since, until }: ImpactWindow,
  hours: number,
): Promise<ApplicationImpact> {
  const from = since === undefined ? 0 : since - (since % HOUR_MS);
  const to = until ?? UNLIMITED;
  const inWindow = 'app_id = $1 AND hour >= $2::bigint AND hour < $3::bigint';
  // All actors ever have rows of their own: an application may have many in each of thousands of hours.
  const actors =
    since === undefined && until === undefined
      ? 'SELECT actor_id, events FROM audit.app_actor WHERE app_id = $1 AND $2::bigint < $3::bigint'
      : `SELECT actor_id, sum(events) AS events FROM audit.app_actor_hour WHERE ${inWindow} GROUP BY actor_id`;
  const { rows } = await pool.query<{ impact: ApplicationImpact }>(
    `WITH acts AS MATERIALIZED (
      SELECT act, sum(events) AS events, min(hour) AS first, max(hour) AS last
      FROM audit.app_hour WHERE ${inWindow} GROUP BY act
    ), actors AS MATERIALIZED (${actors}), listed AS MATERIALIZED (
      SELECT hour, json_object_agg(act, events ORDER BY act) AS acts FROM audit.app_hour
      WHERE ${inWindow} GROUP BY hour ORDER BY hour DESC LIMIT $4
    )
    SELECT json_build_object(
      'actors', (SELECT count(*) FROM actors),
      'acts', (SELECT coalesce(json_object_agg(act, events ORDER BY act), '{}') FROM acts),
      'first', (SELECT min(first) FROM acts),
      'last', (SELECT max(last) FROM acts),
      'hours', (SELECT coalesce(json_agg(json_build_object('hour', hour, 'acts', acts, 'actors', (
          SELECT count(*) FROM audit.app_actor_hour WHERE app_id = $1 AND app_actor_hour.hour = listed.hour
        )) ORDER BY hour), '[]') FROM listed),
      'mostActive', (SELECT coalesce(json_agg(json_build_object('actorId', actor_id, 'events', events)
          ORDER BY events DESC, actor_id), '[]')
        FROM (SELECT actor_id, events FROM actors ORDER BY events DESC, actor_id LIMIT ${MOST_ACTIVE}) AS most)
    ) AS impact`,
    [appId, from, to, hours],
  );
  const [row] = rows;
  if (!row) throw new Error('a statement without a table has one row');
  return row.impact;
}
