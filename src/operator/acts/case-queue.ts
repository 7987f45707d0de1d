import { z } from 'zod';
import { caseFilters, casesPage } from '../../../projections/cases/cases.read-model.js';
import { reportReasons } from '../../domain/report/report-reasons.js';
import type { ActContext } from './act.js';
import { operatorIdOf } from './caller.js';
import { operatorNames } from '../identity/operator-names.js';
import { otherDeciders } from './case-operators.js';

const PAGE = 100;

/** The filters of the queue. `after`: the `next` of an earlier page. */
export const queueQuery = z.strictObject({
  state: z.enum(caseFilters).default('open'),
  reportedFor: z.enum(reportReasons).optional(),
  order: z.enum(['newest', 'oldest']).default('oldest'),
  after: z
    .string()
    .regex(/^[0-9]{1,18}$/, 'must be the `next` of an earlier page')
    .transform(BigInt)
    .optional(),
});

export async function queueOf(
  { services: { pool, store }, caller }: ActContext,
  { state, reportedFor, order, after }: z.infer<typeof queueQuery>,
) {
  const operatorId = operatorIdOf(caller) ?? '';
  const page = await casesPage(pool, { filter: state, operatorId, reportedFor, order, after, limit: PAGE });
  const hasOther = await otherDeciders(store);
  const operators = page.cases.flatMap(({ claimedBy, decidedBy }) => [claimedBy, decidedBy]);
  return {
    state,
    reportedFor: reportedFor ?? null,
    order,
    cases: page.cases.map((each) => ({ ...each, hasOtherOperator: hasOther(each.decidedBy) })),
    operators: await operatorNames(pool, operators),
    next: page.next,
  };
}

export type CaseQueue = Awaited<ReturnType<typeof queueOf>>;
