import { z } from 'zod';
import { listOf } from '../desk/schemas.js';
import { actingText } from '../desk/who.js';
import { streams } from '../../log/streams.js';
import { namedOperators } from '../../base/store/authority/named-operators.js';
import type { ActServices } from '../desk/services.js';

const SHOWN = 10;
const COUNTED = 1_000;

/** `count`: up to 1,000. `next`: the first ten of them, the soonest first. `plannedBy` null: the person. `erasesAt`: Unix milliseconds. */
export const plannedErasuresShape = z.strictObject({
  count: z.number(),
  next: listOf(
    z.strictObject({ actorId: z.string(), erasesAt: z.number(), plannedBy: z.string().nullable() }),
  ),
});

const planned = {
  name: 'planned-erasures',
  text: `SELECT actor_id, erases_at FROM authority.account WHERE erases_at IS NOT NULL AND state <> 'erased'
    ORDER BY erases_at, actor_id LIMIT ${COUNTED}`,
};

/** `showsPeople` false: only their number. @throws errors of log and store. */
export async function plannedErasures(
  { store, log }: Pick<ActServices, 'store' | 'log'>,
  showsPeople: boolean,
): Promise<z.infer<typeof plannedErasuresShape>> {
  const rows = await store.rows<{ actor_id: string; erases_at: string }>(planned, []);
  const shown = showsPeople ? rows.slice(0, SHOWN) : [];
  const named = shown.length > 0 ? await namedOperators(store) : [];
  const names = Object.fromEntries(named.map(({ operatorId, name }) => [operatorId, name]));
  const next = shown.map(async ({ actor_id: actorId, erases_at: erasesAt }) => {
    const recorded = await log.read(streams.account(actorId));
    const plan = recorded.findLast(({ event }) => event.type === 'account.erasure_requested');
    return {
      actorId,
      erasesAt: Number(erasesAt),
      plannedBy: actingText(plan?.metadata ?? {}, names) ?? null,
    };
  });
  return { count: rows.length, next: await Promise.all(next) };
}
