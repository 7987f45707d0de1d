import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { CANDIDATES, caseFilters } from '../../../../projections/cases/queue.read-model.js';
import { caseEffects, caseOutcomes } from '../../../domain/case/events.js';
import { reportReasons } from '../../../domain/report/report-reasons.js';
import type { ReportReason } from '../../../domain/report/report-reasons.js';
import type { caseActs } from '../case.acts.js';
import type { CaseQueue } from '../case-queue.js';
import type { CaseView } from '../case-view.js';
import { caseLines, caseViewLines } from './case-table.js';
import type { Listed } from './case-table.js';
import { performing } from '../../client/perform.js';
import { withNames } from '../../client/with-names.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import {
  actsOf,
  operatorClientOf,
  REASON_HELP,
  someOf,
  withOperator,
  withReason,
} from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { answerList, printResult } from '../../../base/terminal/output.js';
import { typedText } from '../../../base/terminal/typed-text.js';

interface ListOptions extends OperatorOptions {
  readonly state: CaseQueue['state'];
  readonly reportedFor?: ReportReason;
  readonly author?: string;
  readonly application?: string;
  readonly newest?: true;
  readonly urgent?: true;
  readonly limit: number;
}

const ID = 'id of the case, as case list names it';
const AUTHOR = 'of posts of this person, or of the person; recorded as a look';
const APPLICATION = 'of posts through this application; recorded as a look';
const NOTICE = 'text for the person, on their account page; it is erased with the account';

const caseCalls = actsOf<typeof caseActs>;
const perform = performing<typeof caseActs>();

const viewLines = (shown: CaseView, _id: string, _given: object, names: NamesInLines) =>
  caseViewLines(shown, names);

export function addCaseCommands(program: Command): void {
  const group = program.command('case').description('cases: reports, decisions and appeals');

  withOperator(group.command('list'))
    .description('list the cases of reported posts and actors, the oldest first')
    .addOption(
      new Option('--state <state>', 'open: nobody has claimed it').choices(caseFilters).default('open'),
    )
    .addOption(new Option('--reported-for <reason>', 'with a report for this').choices(reportReasons))
    .option('--author <actor-id>', AUTHOR)
    .option('--application <client-id>', APPLICATION)
    .option('--newest', 'the newest first')
    .option('--urgent', 'the most urgent first: by the gravest reason, then by how many people reported')
    .option('--limit <number>', 'at most so many', limitOf, 100)
    .action(async (given: ListOptions) => {
      const { state, reportedFor, author, application, newest, urgent, limit, ...options } = given;
      const order = urgent ? 'urgent' : newest && 'newest';
      const filters = { state, reportedFor, author, application, order } as const;
      const { cases, operators } = await listCases(options, filters, limit);
      const lines = await withNames(operatorClientOf(options), options, (names) =>
        caseLines(cases, operators, names),
      );
      answerList(options, cases, () => lines);
    });

  withOperator(group.command('show'))
    .description('show a case; to the operator who has claimed it with its texts, which is recorded')
    .argument('<case-id>', ID)
    .action(perform('GET /operator/cases/:id', viewLines));

  withReason(group.command('claim'))
    .description('claim a case, so that no other operator decides it, and show its texts')
    .argument('<case-id>', ID)
    .action(
      perform('POST /operator/cases/:id/claim', ({ case: shown }, id, given, names) =>
        shown === null ? [] : viewLines(shown, id, given, names),
      ),
    );

  withReason(group.command('next'))
    .description(
      'claim the most urgent case that you may, also one of an operator who is idle, and show its texts',
    )
    .addOption(
      new Option('--state <state>', 'appealed: of the appeals; any other: of the open cases')
        .choices(caseFilters)
        .default('open'),
    )
    .addOption(new Option('--reported-for <reason>', 'with a report for this').choices(reportReasons))
    .option('--author <actor-id>', AUTHOR)
    .option('--application <client-id>', APPLICATION)
    .option('--after <case-id>', 'another than this one, which you have left')
    .action(
      perform('POST /operator/cases/next', ({ case: next }, _id, { application }, names) =>
        next === null
          ? [
              'no case waits that you may claim, other than what you released today',
              ...(application === undefined
                ? []
                : [`at most the ${CANDIDATES} most urgent cases were searched`]),
            ]
          : caseViewLines(next, names),
      ),
    );

  withReason(group.command('release'))
    .description('end the claim of a case, your own or that of an operator who is away')
    .argument('<case-id>', ID)
    .action(
      perform('POST /operator/cases/:id/release', ({ changed }, id) => [
        changed ? `${id} is released` : `nobody has claimed ${id}`,
      ]),
    );

  withReason(group.command('note'))
    .description('add a note for other operators, read from standard input; it is erased with the account')
    .argument('<case-id>', ID)
    .action(async (id: string, { reason, ...options }: CommandOptions) => {
      const note = await typedText('the note');
      const result = await caseCalls(options).call('POST /operator/cases/:id/notes', { id, note, reason });
      printResult(options, result, [`${id} has the note`]);
    });

  withOperator(group.command('decide'))
    .description('decide a case that you have claimed: it closes the reports that you have seen')
    .argument('<case-id>', ID)
    .addOption(
      new Option('--outcome <outcome>', 'what you found').choices(caseOutcomes).makeOptionMandatory(),
    )
    .option(
      '--effect <effect>',
      `${caseEffects.join(', ')}, of a violation; repeat it for several`,
      someOf(caseEffects),
    )
    .option('--notice <text>', NOTICE)
    .requiredOption('--reason <why>', REASON_HELP)
    .action(
      perform('POST /operator/cases/:id/decide', (result, id, { outcome }) => [
        `${id} is decided: ${outcome}`,
        ...effectsLine(result),
      ]),
    );

  withOperator(group.command('reopen'))
    .description('open a decided case again, to decide it anew; the effects stay until then')
    .argument('<case-id>', ID)
    .requiredOption('--reason <why>', REASON_HELP)
    .action(
      perform('POST /operator/cases/:id/reopen', ({ changed }, id) => [
        changed ? `${id} is open` : `${id} is open already`,
      ]),
    );

  addAppealCommands(group.command('appeal').description('rule on the appeal of a case'));
}

function addAppealCommands(appeal: Command): void {
  for (const [act, done] of [
    ['uphold', 'upheld'],
    ['overturn', 'overturned'],
  ] as const)
    withOperator(appeal.command(act))
      .description(descriptions[act])
      .argument('<case-id>', ID)
      .option('--notice <text>', NOTICE)
      .requiredOption('--reason <why>', REASON_HELP)
      .option('--decision <id>', 'the decision that the appeal is against, if several are appealed')
      .action(
        perform(`POST /operator/cases/:id/appeal/${act}`, (result) => [
          `the decision is ${done}`,
          ...effectsLine(result),
        ]),
      );
}

const descriptions = {
  uphold: 'keep a decision of another operator after its appeal; claim the case first',
  overturn: 'undo a decision of another operator and its effects; what somebody did since stays',
} as const;

const effectsLine = ({ effects }: { readonly effects: 'finished' | 'pending' }): string[] =>
  effects === 'finished'
    ? []
    : ['A store does not answer, so the effects follow by themselves when it is back.'];

function limitOf(value: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number from 1 to 99999.');
}

interface Filters {
  readonly state: CaseQueue['state'];
  readonly reportedFor: ReportReason | undefined;
  readonly author: string | undefined;
  readonly application: string | undefined;
  readonly order: CaseQueue['order'] | undefined;
}

async function listCases(options: OperatorOptions, filters: Filters, limit: number) {
  const listed: Listed[] = [];
  const operators: Record<string, string> = {};
  let after: string | undefined;
  do {
    const page = await caseCalls(options).call('GET /operator/cases', { ...filters, after });
    listed.push(...page.cases);
    Object.assign(operators, page.operators);
    after = page.next ?? undefined;
  } while (after !== undefined && listed.length < limit);
  return { cases: listed.slice(0, limit), operators };
}
