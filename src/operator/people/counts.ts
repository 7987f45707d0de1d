import { z } from 'zod';
import { isGrantUsable } from '../../commands/grant/usable-grants.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import type { ActServices } from '../desk/services.js';

/** Rows are counted up to this number: a page must not count millions. */
const MAX_COUNTED = 10_000;

export const countShape = z.strictObject({ name: z.string(), count: z.number(), isMore: z.boolean() });

export async function countsOf({ pool, clock }: Pick<ActServices, 'pool' | 'clock'>) {
  const state = await readPublicationState(pool);
  const counted: readonly (readonly [string, string, string])[] = [
    ['accounts', 'authority.account', "state = 'active'"],
    ['suspended accounts', 'authority.account', "state = 'suspended'"],
    ['applications', 'authority.application', "state = 'active'"],
    ['suspended applications', 'authority.application', "state = 'suspended'"],
    ['usable grants', 'authority.app_grant', isGrantUsable('$1')],
    ...(state ? ([['posts', `"${state.schemaName}".post`, "status = 'published'"]] as const) : []),
    ['operators', 'authority.operator', 'enrolled_at IS NOT NULL AND NOT suspended'],
  ];
  const each = counted.map(
    ([name, table, condition]) => `
    SELECT '${name}' AS name, count(*)::integer AS counted
    FROM (SELECT FROM ${table} WHERE ${condition} LIMIT ${MAX_COUNTED + 1}) few`,
  );
  const { rows } = await pool.query<{ name: string; counted: number }>(each.join(' UNION ALL '), [
    clock.now(),
  ]);
  return rows.map(({ name, counted }) => ({
    name,
    count: Math.min(counted, MAX_COUNTED),
    isMore: counted > MAX_COUNTED,
  }));
}
