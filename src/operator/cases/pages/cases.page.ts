import { caseFilters } from '../../../../projections/cases/cases.read-model.js';
import { reportReasons } from '../../../domain/report/report-reasons.js';
import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { CaseQueue } from '../case-queue.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { state } from '../../console/parts.js';

type Asked = Pick<CaseQueue, 'state' | 'reportedFor' | 'order'>;

const names: Readonly<Record<CaseQueue['state'], string>> = {
  open: 'Open',
  mine: 'Mine',
  claimed: 'Claimed',
  appealed: 'Appeals',
  decided: 'Decided',
  all: 'All',
};

/** The queue of operators. Its filters are links, so that each has an address. */
export function casesPage(frame: Frame, { cases, operators, next, ...asked }: CaseQueue): string {
  const content = html`<section class="card" aria-labelledby="cases">
    <h1 id="cases">Cases</h1>
    ${choices(
      'State',
      caseFilters.map((each) => link(names[each], { ...asked, state: each }, asked.state === each)),
    )}
    ${choices('Reported for', [
      link('anything', { ...asked, reportedFor: null }, asked.reportedFor === null),
      ...reportReasons.map((each) => link(each, { ...asked, reportedFor: each }, asked.reportedFor === each)),
    ])}
    ${choices('Order', [
      link('oldest first', { ...asked, order: 'oldest' }, asked.order === 'oldest'),
      link('newest first', { ...asked, order: 'newest' }, asked.order === 'newest'),
    ])}
    ${cases.length === 0 ? html`<p class="quiet">No case is here.</p>` : undefined}
    <ol class="listed">
      ${cases.map((each) => caseItem(each, operators))}
    </ol>
    ${next === null ? undefined : html`<p><a href="${addressOf(asked)}&amp;after=${next}">Next page</a></p>`}
  </section>`;
  return consolePage('Cases', content, frame, { isWide: true });
}

const choices = (label: string, links: readonly Html[]): Html =>
  html`<nav class="choices small" aria-label="${label}"><span class="quiet">${label}</span> ${links}</nav>`;

const link = (name: string, to: Asked, isCurrent: boolean): Html =>
  html`<a href="${addressOf(to)}" ${isCurrent ? html`aria-current="page"` : undefined}>${name}</a>`;

function addressOf({ state: of, reportedFor, order }: Asked): string {
  const query = new URLSearchParams({ state: of, order });
  if (reportedFor !== null) query.set('reportedFor', reportedFor);
  return `/console/cases?${query.toString()}`;
}

function caseItem(each: CaseQueue['cases'][number], operators: CaseQueue['operators']): Html {
  const nameOf = (id: string) => operators[id] ?? id;
  const { reports, reasons, claimedBy, decidedBy, outcome } = each;
  return html`<li>
    <strong
      ><a href="/console/cases/${each.caseId}"
        >${each.postId === null ? 'Account' : 'Post'} <span class="quiet small">${each.caseId}</span></a
      ></strong
    >
    ${state(each.state, each.state === 'appealed')}
    <p class="small">
      ${reports === 1 ? '1 report' : `${String(reports)} reports`}: ${reasons.join(', ')}. Opened
      ${timeElement(each.openedAt)}.
    </p>
    ${claimedBy === null ? undefined : html`<p class="small quiet">Claimed by <bdi>${nameOf(claimedBy)}</bdi>.</p>`}
    ${
      decidedBy === null || outcome === null
        ? undefined
        : html`<p class="small quiet">
            Decided by <bdi>${nameOf(decidedBy)}</bdi>: ${outcomeNames[outcome]}.
          </p>`
    }
    ${needsOther(each) ? nobodyElse : undefined}
  </li>`;
}

export const outcomeNames = { violation: 'violation', no_violation: 'no violation' } as const;

/** It waits for another moderator than those who made the decisions that were appealed, and there is none. */
const needsOther = ({ state: is, decidedBy, hasOtherOperator }: CaseQueue['cases'][number]): boolean =>
  is !== 'decided' && decidedBy !== null && !hasOtherOperator;

export const nobodyElse = html`<p class="problem">
  It waits: another moderator must act on it, and there is none. An administrator can invite one under
  <a href="/console/operators">Operators</a>.
</p>`;
