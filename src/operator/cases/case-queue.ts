import { z } from 'zod';
import { caseFilters, casesPage, listedCaseShape } from '../../../projections/cases/cases.read-model.js';
import type { ListedCase } from '../../../projections/cases/cases.read-model.js';
import { readCase } from '../../commands/support/case-command.js';
import { disputedDecisions, makersOf } from '../../domain/case/recusal.js';
import { reportReasons } from '../../domain/report/report-reasons.js';
import type { EventLog } from '../../log/event-log.js';
import type { ActContext } from '../desk/act.js';
import { operatorIdOf } from '../desk/caller.js';
import { listOf } from '../desk/schemas.js';
import { operatorNames } from '../desk/identity/operator-names.js';
import { otherDeciders } from './case-operators.js';

const PAGE = 100;

const order = z.enum(['newest', 'oldest']);

/** The filters of the queue. `after`: the `next` of an earlier page. */
export const queueQuery = z.strictObject({
  state: z.enum(caseFilters).default('open'),
  reportedFor: z.enum(reportReasons).optional(),
  order: order.default('oldest'),
  after: z
    .string()
    .regex(/^[0-9]{1,18}$/, 'must be the `next` of an earlier page')
    .transform(BigInt)
    .optional(),
});

const listedCase = listedCaseShape.extend({
  /** An active operator other than the one who decided may rule on an appeal. */
  hasOtherOperator: z.boolean(),
});

/** `operators`: names by id. */
export const caseQueue = z.strictObject({
  state: z.enum(caseFilters),
  reportedFor: z.enum(reportReasons).nullable(),
  order,
  cases: listOf(listedCase),
  operators: z.record(z.string(), z.string()),
  next: z.string().nullable(),
});

export type CaseQueue = z.infer<typeof caseQueue>;

export async function queueOf(
  { services: { pool, store, log }, caller }: ActContext,
  { state, reportedFor, order, after }: z.infer<typeof queueQuery>,
) {
  const operatorId = operatorIdOf(caller) ?? '';
  const page = await casesPage(pool, { filter: state, operatorId, reportedFor, order, after, limit: PAGE });
  const hasOther = await otherDeciders(store);
  const withOther = async (listed: ListedCase) => ({
    ...listed,
    hasOtherOperator: hasOther(await excludedFrom(log, listed)),
  });
  const operators = page.cases.flatMap(({ claimedBy, decidedBy }) => [claimedBy, decidedBy]);
  return {
    state,
    reportedFor: reportedFor ?? null,
    order,
    cases: await Promise.all(page.cases.map(withOther)),
    operators: await operatorNames(store, operators),
    next: page.next,
  };
}

/** The operators who may not do what the case waits for. The stream of a reopened case tells if its decision was overturned. */
async function excludedFrom(
  log: EventLog,
  { caseId, state, decidedBy }: ListedCase,
): Promise<readonly string[]> {
  if (decidedBy === null || state === 'decided') return [];
  return disputedDecisions((await readCase(log, caseId)).state).flatMap(makersOf);
}
