import { z } from 'zod';
import {
  askPool,
  caseFilters,
  caseOrders,
  casesPage,
  listedCaseShape,
} from '../../../projections/cases/queue.read-model.js';
import type { FoundCase, ListedCase } from '../../../projections/cases/queue.read-model.js';
import { readCase } from '../../commands/support/case-command.js';
import { CLAIM_IDLE_MS } from '../../domain/case/handling.js';
import { disputedDecisions, makersOf } from '../../domain/case/recusal.js';
import { reportReasons } from '../../domain/report/report-reasons.js';
import type { EventLog } from '../../log/event-log.js';
import { HttpRefusal } from '../../server/errors.js';
import { recordLooks } from '../audit/looks.js';
import { isInAuthority } from '../audit/resolve.js';
import type { ActContext } from '../desk/act.js';
import { operatorIdOf } from '../desk/caller.js';
import { identifier, listOf } from '../desk/schemas.js';
import { operatorNames } from '../desk/identity/operator-names.js';
import { otherDeciders } from './case-operators.js';
import { askPublished, queueFactsOf } from './queue-facts.js';

const PAGE = 100;

const PLACE = 'must be the `next` of an earlier page';

const id = z.string().regex(identifier, 'must be an id');

/**
 * `author`: of the reported posts, or the reported actor. `application`: through which the posts were made; a page or claim looks at
 * 10,000 cases for it, so a page may have few and a `next`.
 */
export const queueFilters = z.strictObject({
  state: z.enum(caseFilters).default('open'),
  reportedFor: z.enum(reportReasons).optional(),
  author: id.optional(),
  application: id.optional(),
});

/** The filters of the queue. `after`: the `next` of an earlier page. */
export const queueQuery = queueFilters
  .extend({
    order: z.enum(caseOrders).default('oldest'),
    after: z
      .string()
      .regex(/^([0-9]{1,4}-)?[0-9]{1,18}$/, PLACE)
      .optional(),
  })
  .refine(({ order, after }) => after === undefined || after.includes('-') === (order === 'urgent'), {
    path: ['after'],
    message: PLACE,
  });

const listedCase = listedCaseShape.extend({
  /** An active operator other than the one who decided may rule on an appeal. */
  hasOtherOperator: z.boolean(),
  /** Its claimer has given no sign for 16 minutes. */
  isIdle: z.boolean(),
  /** Reports by reason; of a case with more than a thousand, of the newest thousand. */
  reportsByReason: z.record(z.string(), z.number()),
  /** The application of the post; null: a case about an actor, or the read models do not have the post. */
  appId: z.string().nullable(),
  /** Open cases of the same author that nobody has claimed. */
  openOfAuthor: z.number(),
  /**
   * Numbers in the newest 50 reports. `upheld`: people with an earlier report that was a violation, and three reports at least, in
   * the newest 10 of each. `isBrigade`: many came within minutes, of people who follow each other. Null: the caller may not decide
   * cases.
   */
  reporters: z.strictObject({ people: z.number(), upheld: z.number(), isBrigade: z.boolean() }).nullable(),
});

/** `operators`: names by id. `at`: when it was read, in Unix milliseconds. `mine`: claims of the caller, under any filter. */
export const caseQueue = z.strictObject({
  state: z.enum(caseFilters),
  reportedFor: z.enum(reportReasons).nullable(),
  author: z.string().nullable(),
  application: z.string().nullable(),
  order: z.enum(caseOrders),
  at: z.number(),
  mine: z.number(),
  cases: listOf(listedCase),
  operators: z.record(z.string(), z.string()),
  next: z.string().nullable(),
});

export type CaseQueue = z.infer<typeof caseQueue>;

type Narrowing = Pick<z.infer<typeof queueFilters>, 'author' | 'application'>;

/** A queue of one author or application is a look at them. The queue as a whole is none. */
export async function recordNarrowing(
  context: ActContext,
  { author, application }: Narrowing,
): Promise<void> {
  const { pool } = context.services;
  const areKnown = await Promise.all([
    author === undefined || isInAuthority(pool, 'actor', author),
    application === undefined || isInAuthority(pool, 'app', application),
  ]);
  // A look at an id that nobody has would make the audit take it for one.
  if (areKnown.includes(false))
    throw new HttpRefusal('invalid_request', 'author, application: nobody has this id, or no application.');
  await recordLooks(context, [
    ...(author === undefined ? [] : [{ actorId: author }]),
    ...(application === undefined ? [] : [{ appId: application }]),
  ]);
}

export async function queueOf(context: ActContext, asked: z.infer<typeof queueQuery>) {
  const { services, caller } = context;
  const { pool, store, log, clock } = services;
  const { state, reportedFor, author, application, order } = asked;
  await recordNarrowing(context, asked);
  const operatorId = operatorIdOf(caller) ?? '';
  const ask = application === undefined ? askPool(pool) : askPublished(services.published);
  const page = await casesPage(ask, { ...asked, filter: state, operatorId, limit: PAGE });
  const hasOther = await otherDeciders(store);
  const at = clock.now();
  const { mine, factsOf } = await queueFactsOf(
    context,
    page.cases.map(({ listed }) => listed),
  );
  const whole = async (found: FoundCase) => ({
    ...found.listed,
    ...factsOf(found.listed),
    isIdle: await isIdle(log, found, at),
    hasOtherOperator: hasOther(await excludedFrom(log, found.listed)),
  });
  const operators = page.cases.flatMap(({ listed: { claimedBy, decidedBy } }) => [claimedBy, decidedBy]);
  return {
    state,
    reportedFor: reportedFor ?? null,
    author: author ?? null,
    application: application ?? null,
    order,
    at,
    mine,
    cases: await Promise.all(page.cases.map(whole)),
    operators: await operatorNames(store, operators),
    next: page.next,
  };
}

/** A claim without a stored sign of its claimer counts from its beginning. */
async function isIdle(log: EventLog, { listed, activeAt }: FoundCase, now: number): Promise<boolean> {
  if (listed.claimedBy === null) return false;
  if (activeAt !== null) return now - activeAt >= CLAIM_IDLE_MS;
  const { state } = await readCase(log, listed.caseId);
  return state.status !== 'none' && state.claim !== undefined && now - state.claim.at >= CLAIM_IDLE_MS;
}

/** The operators who may not do what the case waits for. The stream of a reopened case tells if its decision was overturned. */
async function excludedFrom(
  log: EventLog,
  { caseId, state, decidedBy }: ListedCase,
): Promise<readonly string[]> {
  if (decidedBy === null || state === 'decided') return [];
  return disputedDecisions((await readCase(log, caseId)).state).flatMap(makersOf);
}
