import { readPublicationState } from '../../incarnations/recovery-state.js';
import type { ActServices } from './services.js';

/** Rows up to this number are counted, more are estimated: a page must not read a table of millions. */
const EXACT = 10_000;

/** `isEstimate`: of the planner's statistics. */
export interface Count {
  readonly name: string;
  readonly count: number;
  readonly isEstimate: boolean;
}

export async function countsOf({ pool }: Pick<ActServices, 'pool'>): Promise<readonly Count[]> {
  const state = await readPublicationState(pool);
  const counted: readonly (readonly [string, string, string])[] = [
    ['accounts', 'authority.account', "state = 'active'"],
    ['suspended accounts', 'authority.account', "state = 'suspended'"],
    ['applications', 'authority.application', "state = 'active'"],
    ['suspended applications', 'authority.application', "state = 'suspended'"],
    ['grants', 'authority.app_grant', 'revoked_at IS NULL'],
    ...(state ? ([['posts', `"${state.schemaName}".post`, "status = 'published'"]] as const) : []),
    ['operators', 'authority.operator', 'enrolled_at IS NOT NULL AND NOT suspended'],
  ];
  const each = counted.map(
    ([name, table, condition]) => `
    SELECT '${name}' AS name, '${table}'::regclass AS "table",
      (SELECT count(*) FROM (SELECT FROM ${table} WHERE ${condition} LIMIT ${EXACT + 1}) few) AS counted`,
  );
  const { rows } = await pool.query<{ name: string; counted: string; estimated: string }>(
    `SELECT name, counted::text, greatest(counted, pg_class.reltuples::bigint)::text AS estimated
    FROM (${each.join(' UNION ALL ')}) counts JOIN pg_class ON pg_class.oid = counts."table"`,
  );
  return rows.map(({ name, counted, estimated }) => {
    const isEstimate = Number(counted) > EXACT;
    return { name, count: Number(isEstimate ? estimated : counted), isEstimate };
  });
}
