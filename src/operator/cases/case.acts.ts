import { z } from 'zod';
import { FinishCaseEffects } from '../../commands/case/case-effects.js';
import {
  ClaimCase,
  DecideCase,
  NoteCase,
  ReleaseCase,
  ReopenCase,
  RuleOnAppeal,
  TakeOverCase,
} from '../../commands/case/change-case.js';
import type { CaseCommand, CaseChange, OperatorMetadata } from '../../commands/support/case-command.js';
import { readCase } from '../../commands/support/case-command.js';
import { casesGroup } from '../../../projections/cases/cases.projection.js';
import { recordActivity, recordLeft } from '../../../projections/cases/queue.read-model.js';
import { claimedBy } from '../../domain/case/handling.js';
import { Refusal } from '../../domain/refusal.js';
import { caseEffects, caseOutcomes } from '../../domain/case/events.js';
import { isOutage } from '../../log/witness/outage.js';
import { act } from '../desk/act.js';
import type { ActContext } from '../desk/act.js';
import { ownIdOf } from '../desk/caller.js';
import { caseQueue, queueOf, queueQuery } from './case-queue.js';
import { claimNext, nextQuery } from './next-case.js';
import { shownCase, viewOf } from './case-view.js';
import { caseForm, caseWays, decisionIn } from './pages/case-forms.js';
import { casePage } from './pages/case.page.js';
import { casesPage, unfilteredQueue } from './pages/cases.page.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import { changed, idIn } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

const decision = z.strictObject({
  outcome: z.enum(caseOutcomes),
  effects: z.array(z.enum(caseEffects)).max(2).default([]),
  notice: z.string().optional(),
});

const ruling = z.strictObject({ decisionId: z.string().optional(), notice: z.string().optional() });

/** `effects` pending: a store is away, and they follow by themselves. */
const decided = z.strictObject({ effects: z.enum(['finished', 'pending']) });

const one = '/operator/cases/:id' as const;

/** The queue may lag this long before an act answers all the same. */
const QUEUE_WAIT_MS = 3_000;

const personal = ({ metadata, caller }: ActContext): OperatorMetadata => ({
  ...metadata,
  operatorId: ownIdOf(caller),
});

async function execute({ services }: ActContext, command: CaseCommand): Promise<Pick<CaseChange, 'changed'>> {
  const { changed, position } = await services.commands.execute(command);
  await services.positions.waitForGroup(casesGroup.name, position, QUEUE_WAIT_MS);
  return { changed };
}

/** `show` false: the claimer opens the case by itself, and only then its texts count as shown. */
const show = z.boolean().default(true);

/** Executes a claim, of which this is the first sign; a case that is shown records that by itself. */
async function claim(context: ActContext, command: ClaimCase | TakeOverCase, isShown: boolean) {
  const { changed } = await execute(context, command);
  const { services, caller } = context;
  if (changed && !isShown)
    await undefinedIfUnreachable(
      recordActivity(services.pool, command.caseId, ownIdOf(caller), services.clock.now()),
    );
  return { changed };
}

/** Answers also while a store is away: the decision is recorded, and its effects follow by themselves. */
async function executeWithEffects(context: ActContext, command: CaseCommand) {
  const { services } = context;
  const { position } = await services.commands.execute(command);
  const effects = await finishEffects(services, command.caseId);
  await services.positions.waitForGroup(casesGroup.name, position, QUEUE_WAIT_MS);
  return { effects };
}

async function finishEffects(
  { commands, logger }: ActServices,
  caseId: string,
): Promise<'finished' | 'pending'> {
  try {
    await commands.execute(new FinishCaseEffects(caseId));
    return 'finished';
  } catch (error) {
    if (!isOutage(error)) throw error;
    logger.warn({ err: error, caseId }, 'effects of a decision follow later');
    return 'pending';
  }
}

const rulingAct = <Verb extends 'uphold' | 'overturn'>(verb: Verb, outcome: 'upheld' | 'overturned') =>
  act({
    name: `appeal.${verb}`,
    may: 'cases.decide',
    isPersonal: true,
    route: `POST ${one}/appeal/${verb}`,
    command: `case appeal ${verb}`,
    reason: 'required',
    input: ruling,
    answer: decided,
    form: caseForm,
    ways: caseWays,
    run: (asked, context) =>
      executeWithEffects(
        context,
        new RuleOnAppeal(idIn(context.params), { ...asked, ruling: outcome }, personal(context)),
      ),
  });

export const nextCase = act({
  name: 'case.next',
  may: 'cases.decide',
  isPersonal: true,
  route: 'POST /operator/cases/next',
  command: 'case next',
  reason: 'optional',
  input: nextQuery.extend({ show }),
  answer: z.strictObject({ caseId: z.string().nullable(), case: shownCase.nullable() }),
  form: true,
  ways: unfilteredQueue,
  run: async ({ show: isShown, ...asked }, context) => {
    const caseId = await claimNext(context, asked, (command) => claim(context, command, isShown));
    return { caseId, case: caseId === null || !isShown ? null : await viewOf(context, caseId) };
  },
  duplicates: 'claim',
});

/** The sign of a claimer who reads or types, for the script of the case's page. */
export const markActive = act({
  name: 'case.active',
  may: 'cases.decide',
  isPersonal: true,
  route: `POST ${one}/active`,
  answer: z.strictObject({}),
  form: true,
  run: async (_input, { services: { log, pool, clock }, caller, params }) => {
    const [caseId, operatorId] = [idIn(params), ownIdOf(caller)];
    const claimed = claimedBy((await readCase(log, caseId)).state, operatorId);
    if (claimed instanceof Refusal) throw claimed;
    await recordActivity(pool, caseId, operatorId, clock.now());
    return {};
  },
});

export const caseActs = [
  act({
    name: 'case.list',
    may: 'cases.read',
    route: 'GET /operator/cases',
    command: 'case list',
    input: queueQuery,
    answer: caseQueue,
    page: casesPage,
    ways: unfilteredQueue,
    run: (asked, context) => queueOf(context, asked),
  }),
  act({
    name: 'case.show',
    may: 'cases.read',
    route: `GET ${one}`,
    command: 'case show',
    answer: shownCase,
    page: casePage,
    run: (_input, context) => viewOf(context, idIn(context.params)),
  }),
  act({
    name: 'case.claim',
    may: 'cases.decide',
    isPersonal: true,
    route: `POST ${one}/claim`,
    command: 'case claim',
    reason: 'optional',
    input: z.strictObject({ show }),
    answer: z.strictObject({ case: shownCase.nullable() }),
    form: caseForm,
    ways: caseWays,
    run: async ({ show: isShown }, context) => {
      const caseId = idIn(context.params);
      await claim(context, new ClaimCase(caseId, personal(context)), isShown);
      return { case: isShown ? await viewOf(context, caseId) : null };
    },
  }),
  nextCase,
  markActive,
  act({
    name: 'case.release',
    may: 'cases.decide',
    isPersonal: true,
    route: `POST ${one}/release`,
    command: 'case release',
    reason: 'optional',
    answer: changed,
    form: caseForm,
    ways: caseWays,
    run: async (_input, context) => {
      const { services, params, caller } = context;
      const released = await execute(context, new ReleaseCase(idIn(params), personal(context)));
      if (released.changed)
        await undefinedIfUnreachable(
          recordLeft(services.pool, idIn(params), ownIdOf(caller), services.clock.now()),
        );
      return released;
    },
  }),
  act({
    name: 'case.note',
    may: 'cases.decide',
    isPersonal: true,
    route: `POST ${one}/notes`,
    command: 'case note',
    reason: 'optional',
    input: z.strictObject({ note: z.string() }),
    answer: changed,
    form: caseForm,
    ways: caseWays,
    run: ({ note }, context) => execute(context, new NoteCase(idIn(context.params), note, personal(context))),
    duplicates: 'note',
  }),
  act({
    name: 'case.decide',
    may: 'cases.decide',
    isPersonal: true,
    route: `POST ${one}/decide`,
    command: 'case decide',
    reason: 'required',
    input: decision,
    answer: decided,
    form: { ...caseForm, input: decisionIn },
    ways: caseWays,
    run: (input, context) =>
      executeWithEffects(context, new DecideCase(idIn(context.params), input, personal(context))),
  }),
  act({
    name: 'case.reopen',
    may: 'cases.decide',
    isPersonal: true,
    route: `POST ${one}/reopen`,
    command: 'case reopen',
    reason: 'required',
    answer: changed,
    form: { ...caseForm, done: ({ changed }) => (changed ? 'case.reopen' : 'case.reopen_unchanged') },
    ways: caseWays,
    run: (_input, context) => execute(context, new ReopenCase(idIn(context.params), personal(context))),
  }),
  rulingAct('uphold', 'upheld'),
  rulingAct('overturn', 'overturned'),
];
