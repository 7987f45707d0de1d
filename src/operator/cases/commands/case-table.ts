import { plainLine } from '../../../base/support/plain-text.js';
import { actingText } from '../../desk/who.js';
import type { CaseQueue } from '../case-queue.js';
import type { CaseView } from '../case-view.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import { verbOf } from '../../desk/sentences.js';
import { localMoment } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

type Names = CaseQueue['operators'];

export type Listed = CaseQueue['cases'][number];

/** `operators`: names by id. */
export function caseLines(
  listed: readonly Listed[],
  operators: Names,
  { nameOf, named }: NamesInLines,
): string[] {
  if (listed.length === 0) return ['no case'];
  return tableLines(
    ['CASE', 'STATE', 'REPORTS', 'OPENED', 'REPORTED FOR', 'OPERATOR', 'ABOUT'],
    listed.map(({ claimedBy, decidedBy, ...each }) => [
      each.caseId,
      each.state !== 'decided' && decidedBy !== null && !each.hasOtherOperator
        ? `${each.state}, needs another moderator`
        : each.state,
      String(each.reports),
      localMoment(each.openedAt),
      each.reasons.join(', '),
      nameIn(operators, claimedBy ?? decidedBy),
      each.postId === null
        ? nameOf('actors', each.targetActorId)
        : `${nameOf('posts', each.postId)} by ${named('actors', each.targetActorId)}`,
    ]),
  );
}

const nameIn = (operators: Names, id: string | null): string => (id === null ? '' : (operators[id] ?? id));

/** Texts of people follow on lines of their own, as nobody knows what is in them. */
export function caseViewLines(shown: CaseView, { named }: NamesInLines): string[] {
  const { claimedBy, operators } = shown;
  return [
    `case     ${shown.caseId}  ${shown.state}${claimedBy === null ? '' : `, claimed by ${nameIn(operators, claimedBy)}`}`,
    `actor    ${named('actors', shown.targetActorId)}`,
    ...(shown.postId === undefined
      ? []
      : [`post     ${named('posts', shown.postId)}  ${shown.post?.status ?? ''}`]),
    ...(shown.profile ? ['profile', ...indented(shown.profile)] : []),
    ...(shown.post?.versions ?? []).flatMap((version) => ['text'].concat(indented(version))),
    `reports  ${shown.reports.total}`,
    ...shown.reports.newest.flatMap((report) => [
      `  ${localMoment(report.at)}  ${report.reason}${report.isClosed ? '  closed' : ''}`,
      ...indented(report),
    ]),
    ...shown.decisions.flatMap((decision) => decisionLines(decision, operators)),
    ...shown.hiddenBy.map((each) => hidingLine(each, operators)),
    ...(shown.recusal === null ? [] : [shown.recusal]),
    ...(shown.isOpen && shown.decisions.length > 0 && !shown.hasOtherOperator ? [NOBODY_ELSE] : []),
    'history',
    ...shown.history.flatMap((entry) => [
      `  ${localMoment(entry.at)}  ${entry.operatorId === null ? '' : `${nameIn(operators, entry.operatorId)} `}${verbOf(entry.type)}  ${plainLine(entry.reason ?? '')}`.trimEnd(),
      ...indented(entry),
    ]),
    ...(shown.isMine ? [] : ['The texts are shown to the operator who has claimed the case.']),
  ];
}

const NOBODY_ELSE = '  It waits: another moderator must act on it, and there is none.';

const hidingLine = ({ of, at, operatorId, cause }: CaseView['hiddenBy'][number], operators: Names): string =>
  `${of === 'post' ? 'restricted' : 'suspended '}  ${localMoment(at)}  by ${actingText({ operatorId }, operators) ?? 'unknown'}  ${cause ?? 'by itself'}`;

function decisionLines(
  {
    decisionId,
    operatorId,
    outcome,
    effects,
    execution,
    appeal,
    hasOtherOperator,
  }: CaseView['decisions'][number],
  operators: Names,
) {
  const what = [outcome, ...effects].join(', ');
  const by = nameIn(operators, operatorId);
  const line = `decision ${decisionId}  ${what}  by ${by}  effects: ${execution}  appeal: ${appeal}`;
  return appeal === 'waiting' && !hasOtherOperator ? [line, NOBODY_ELSE] : [line];
}

function indented({
  text,
  erased,
}: {
  readonly text?: string | undefined;
  readonly erased?: boolean | undefined;
}) {
  if (erased) return ['    (erased)'];
  return text === undefined || text === '' ? [] : text.split('\n').map((line) => `    ${line}`);
}
