import { CANDIDATES, caseFilters, caseOrders } from '../../../../projections/cases/queue.read-model.js';
import { NEWEST_REPORTS } from '../../../../projections/cases/queue-facts.sql.js';
import { reportReasons } from '../../../domain/report/report-reasons.js';
import type { ReportReason } from '../../../domain/report/report-reasons.js';
import { ageElement, hiddenField, html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { CaseQueue } from '../case-queue.js';
import { caseKeysAsset } from '../../console/assets.js';
import { consolePage } from '../../console/layout.js';
import { mayDo } from '../../console/may.js';
import { named, nameOf } from '../../console/names.js';
import type { Frame } from '../../desk/page.js';
import { proofField, state } from '../../console/parts.js';
import { counted, numbers, table } from '../../console/tables.js';
import { keycap, keyList, shortcut } from './case-keys.js';
import { outcomeNames, reasonCounts } from './case-words.js';

type Asked = Pick<CaseQueue, 'state' | 'reportedFor' | 'author' | 'application' | 'order'>;
type Listed = CaseQueue['cases'][number];

const names: Readonly<Record<CaseQueue['state'], string>> = {
  open: 'Open',
  mine: 'Mine',
  claimed: 'Claimed',
  appealed: 'Appeals',
  decided: 'Decided',
  all: 'All',
};

const orderNames: Readonly<Record<CaseQueue['order'], string>> = {
  urgent: 'most urgent first',
  oldest: 'oldest first',
  newest: 'newest first',
};

const first: Asked = { state: 'open', reportedFor: null, author: null, application: null, order: 'urgent' };

/** The queue of operators. Its filters are links, so that each has an address. */
export function casesPage(
  frame: Frame,
  { cases, operators: _operators, next, at, mine, ...asked }: CaseQueue,
): string {
  const content = html`<section class="card" aria-labelledby="cases">
    <div class="between">
      <h1 id="cases">Cases</h1>
      ${mayDo(frame.session, 'case.next') ? nextForm(frame, asked) : undefined}
    </div>
    ${choices(
      'State',
      caseFilters.map((each) =>
        link(
          each === 'mine' && mine > 0 ? `${names.mine} (${numbers.format(mine)})` : names[each],
          { ...asked, state: each },
          asked.state === each,
        ),
      ),
    )}
    ${choices('Reported for', [
      link('anything', { ...asked, reportedFor: null }, asked.reportedFor === null),
      ...reportReasons.map((each) => link(each, { ...asked, reportedFor: each }, asked.reportedFor === each)),
    ])}
    ${choices(
      'Order',
      caseOrders.map((each) => link(orderNames[each], { ...asked, order: each }, asked.order === each)),
    )}
    ${asked.author === null ? undefined : html`<p>Of ${named.person(asked.author)}. ${link('Show everybody’s', { ...asked, author: null })}</p>`}
    ${asked.application === null ? undefined : html`<p>Through ${named.application(asked.application)}. ${link('Show all', { ...asked, application: null })}</p>`}
    ${addressOf(asked) === addressOf(first) ? undefined : html`<p class="small">${link('Reset the filters', first)}</p>`}
    ${cases.some(needsOther) ? nobodyElse : undefined}
    ${cases.length === 0 ? html`<p class="quiet">No case is here.</p>` : queueTable(frame, asked, cases, at)}
    ${cases.some(({ reporters }) => reporters?.isBrigade) ? brigadeNote : undefined}
    ${
      next === null
        ? undefined
        : html`<p>
            ${asked.application === null ? undefined : `A page looks at ${numbers.format(CANDIDATES)} cases at most.`}
            <a href="${addressOf(asked)}&amp;after=${next}">Next page</a>
          </p>`
    }
    ${keyList}
  </section>`;
  return consolePage('Cases', content, frame, { scripts: [caseKeysAsset.path], isWide: true });
}

/** The filters may be kept ones, which nothing else resets while they are refused. */
export const unfilteredQueue = ({ session }: Frame): Html =>
  mayDo(session, 'case.list') ? html`<p>${link('The queue without filters', first)}.</p>` : html``;

const choices = (label: string, links: readonly Html[]): Html =>
  html`<nav class="choices small" aria-label="${label}"><span class="quiet">${label}</span> ${links}</nav>`;

const link = (name: string, to: Asked, isCurrent = false): Html =>
  html`<a href="${addressOf(to)}" ${isCurrent ? html`aria-current="page"` : undefined}>${name}</a>`;

const fieldsOf = (asked: Partial<Asked>): readonly [string, string][] =>
  Object.entries(asked).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );

const addressOf = (asked: Asked): string =>
  `/console/cases?${new URLSearchParams(fieldsOf(asked)).toString()}`;

const nextForm = ({ proof }: Frame, { order: _order, ...filters }: Asked): Html =>
  html`<form method="post" action="/console/cases/next">
    ${proofField(proof)} ${fieldsOf(filters).map(([name, value]) => hiddenField(name, value))}
    <button class="main slim" type="submit" ${shortcut('c')}>Claim the next ${keycap('c')}</button>
  </form>`;

function queueTable({ session }: Frame, asked: Asked, cases: readonly Listed[], at: number): Html {
  const withReporters = mayDo(session, 'case.decide');
  const headings = ['Reported', 'Author', 'Through', 'For', 'Severity', 'Age', 'Status'];
  return html`<div class="queue">
    ${table(
      'Cases',
      withReporters ? [...headings, 'Reporters'] : headings,
      cases.map((each) => [
        html`<a href="/console/cases/${each.caseId}" dir="auto"
          >${each.postId === null ? 'The account' : nameOf.post(each.postId)}</a
        >`,
        split(named.person(each.targetActorId), ofAuthor(asked, each)),
        each.appId === null ? '' : split(named.application(each.appId), ofApplication(asked, each.appId)),
        reasonsOf(each),
        state(each.severity, isGrave(each)),
        ageElement(each.openedAt, at),
        statusOf(each),
        ...(withReporters ? [reportersOf(each)] : []),
      ]),
      { isDense: true },
    )}
  </div>`;
}

/** A name that may be cut off, and a link that may not. */
const split = (name: Html, more: Html | undefined): Html =>
  html`<div class="split"><span>${name}</span> ${more}</div>`;

const ofApplication = ({ application }: Asked, appId: string): Html | undefined =>
  application === null ? link('its cases', { ...first, application: appId }) : undefined;

/** The others that wait, of the same author. */
function ofAuthor({ author }: Asked, { targetActorId, openOfAuthor, state: is }: Listed): Html | undefined {
  if (author !== null || openOfAuthor <= (is === 'open' ? 1 : 0)) return undefined;
  return link(counted(openOfAuthor, 'cases'), { ...first, author: targetActorId });
}

const gravestFirst: readonly ReportReason[] = ['illegal', 'harassment', 'impersonation', 'other', 'spam'];

function reasonsOf({ reports, reportsByReason }: Listed): string {
  const counts = gravestFirst.flatMap((reason) => {
    const count = reportsByReason[reason];
    return count === undefined ? [] : [[reason, count] as const];
  });
  const { text, isAll } = reasonCounts(counts, reports);
  return isAll ? text : `${text} of ${counted(reports, 'reports')}`;
}

const isGrave = ({ severity }: Listed): boolean => severity === 'high' || severity === 'critical';

function statusOf(each: Listed): Html {
  const { claimedBy, decidedBy, outcome, isIdle, state: is } = each;
  const parts = [
    ...(is === 'appealed' ? [state(is, true)] : []),
    ...(claimedBy === null ? [] : [named.operator(claimedBy)]),
    ...(isIdle ? [state('idle', true)] : []),
    ...(claimedBy === null && decidedBy !== null && outcome !== null
      ? [html`${outcomeNames[outcome]} by ${named.operator(decidedBy)}`]
      : []),
    ...(needsOther(each) ? [state('needs another moderator', true)] : []),
  ];
  return html`${parts.map((part, n) => (n === 0 ? part : html` ${part}`))}`;
}

const brigade = html`<span class="state bad">brigade?</span>`;

const brigadeNote = html`<p class="small quiet">
  Perhaps a brigade: many reported within minutes, and follow each other.
</p>`;

/** Numbers alone: who reported is for the claimer. */
function reportersOf({ reports, reporters }: Listed): Html | string {
  if (reporters === null) return '';
  const { people, upheld, isBrigade } = reporters;
  const numbersOf = [
    people === 1 ? '1 person' : `${people} people`,
    ...(reports > NEWEST_REPORTS ? [` in the newest ${NEWEST_REPORTS}`] : []),
    ...(upheld === 0 ? [] : [`, ${upheld} upheld before`]),
  ];
  return split(html`${numbersOf.join('')}`, isBrigade ? brigade : undefined);
}

/** It waits for another moderator than those who made the decisions that were appealed, and there is none. */
const needsOther = ({ state: is, decidedBy, hasOtherOperator }: Listed): boolean =>
  is !== 'decided' && decidedBy !== null && !hasOtherOperator;

export const nobodyElse = html`<p class="problem">
  It waits: another moderator must act on it, and there is none. An administrator can invite one under
  <a href="/console/operators">Operators</a>.
</p>`;
