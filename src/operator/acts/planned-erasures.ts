import { actingText } from '../audit/who.js';
import { streams } from '../../log/streams.js';
import type { ActServices } from './services.js';

const SHOWN = 10;
const COUNTED = 1_000;

/** `plannedBy` null: the person. `erasesAt`: Unix milliseconds. */
export interface PlannedErasure {
  readonly actorId: string;
  readonly erasesAt: number;
  readonly plannedBy: string | null;
}

/** `count`: up to 1,000. `next`: the first ten of them, the soonest first. */
export interface PlannedErasures {
  readonly count: number;
  readonly next: readonly PlannedErasure[];
}

const planned = {
  name: 'planned-erasures',
  text: `SELECT actor_id, erases_at FROM authority.account WHERE erases_at IS NOT NULL AND state <> 'erased'
    ORDER BY erases_at, actor_id LIMIT ${COUNTED}`,
};

const nameOfOperator = {
  name: 'operator.name',
  text: 'SELECT name FROM authority.operator WHERE operator_id = $1',
};

/** `showsPeople` false: only their number. @throws errors of log and store. */
export async function plannedErasures(
  { store, log }: Pick<ActServices, 'store' | 'log'>,
  showsPeople: boolean,
): Promise<PlannedErasures> {
  const rows = await store.rows<{ actor_id: string; erases_at: string }>(planned, []);
  const shown = showsPeople ? rows.slice(0, SHOWN) : [];
  const next = shown.map(async ({ actor_id: actorId, erases_at: erasesAt }) => {
    const recorded = await log.read(streams.account(actorId));
    const plan = recorded.findLast(({ event }) => event.type === 'account.erasure_requested');
    const { operatorId = '', operator } = plan?.metadata ?? {};
    const named = await store.rows<{ name: string }>(nameOfOperator, [operatorId]);
    const names = Object.fromEntries(named.map(({ name }) => [operatorId, name]));
    const plannedBy = actingText({ operatorId: plan?.metadata.operatorId, operator }, names) ?? null;
    return { actorId, erasesAt: Number(erasesAt), plannedBy };
  });
  return { count: rows.length, next: await Promise.all(next) };
}
