import type { OperatorClient } from './operator-client.js';
import { localMoment } from './output.js';
import { tableLines } from './table.js';

type Listed = Awaited<ReturnType<OperatorClient['cases']['list']>>['cases'][number];
type Appealed = Awaited<ReturnType<OperatorClient['cases']['appeals']>>['appeals'][number];
type Shown = Awaited<ReturnType<OperatorClient['cases']['show']>>;

export function caseLines(listed: readonly Listed[]): string[] {
  if (listed.length === 0) return ['no case'];
  return tableLines(
    ['CASE', 'STATE', 'REPORTS', 'OPENED', 'OPERATOR'],
    listed.map((each) => [
      each.caseId,
      each.state,
      String(each.reports),
      localMoment(each.openedAt),
      each.claimedBy ?? each.decidedBy ?? '',
    ]),
  );
}

export function appealLines(listed: readonly Appealed[]): string[] {
  if (listed.length === 0) return ['no appeal waits'];
  return tableLines(
    ['CASE', 'DECIDED', 'DECIDED BY', 'RULED BY'],
    listed.map((each) => [
      each.caseId,
      each.decidedAt === null ? '' : localMoment(each.decidedAt),
      each.decidedBy ?? '',
      each.hasOtherOperator ? 'another moderator' : 'nobody yet: invite another moderator',
    ]),
  );
}

/** Texts of people follow on lines of their own, as nobody knows what is in them. */
export function caseViewLines(shown: Shown): string[] {
  return [
    `case     ${shown.caseId}  ${shown.state}${shown.claimedBy === null ? '' : `, claimed by ${shown.claimedBy}`}`,
    `actor    ${shown.targetActorId}`,
    ...(shown.postId === undefined ? [] : [`post     ${shown.postId}  ${shown.post?.status ?? ''}`]),
    ...(shown.profile ? ['profile', ...indented(shown.profile)] : []),
    ...(shown.post?.versions ?? []).flatMap((version) => ['text'].concat(indented(version))),
    `reports  ${shown.reports.total}`,
    ...shown.reports.newest.flatMap((report) => [
      `  ${localMoment(report.at)}  ${report.reason}${report.isClosed ? '  closed' : ''}`,
      ...indented(report),
    ]),
    ...shown.decisions.flatMap(decisionLines),
    'history',
    ...shown.history.flatMap((entry) => [
      `  ${localMoment(entry.at)}  ${entry.type}  ${entry.operatorId ?? ''}`,
      ...indented(entry),
    ]),
    ...(shown.profile === null ? ['The texts are shown to the operator who has claimed the case.'] : []),
  ];
}

function decisionLines({
  decisionId,
  operatorId,
  outcome,
  effects,
  execution,
  ...rest
}: Shown['decisions'][number]) {
  const what = [outcome, ...effects].join(', ');
  const lines = [
    `decision ${decisionId}  ${what}  by ${operatorId}  effects: ${execution}  appeal: ${rest.appeal}`,
  ];
  return rest.appeal === 'waiting' && !rest.hasOtherOperator
    ? [...lines, '  The appeal waits: another moderator must rule on it, and there is none.']
    : lines;
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
