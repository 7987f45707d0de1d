import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { quotation } from '../../../base/pages/quotation.js';
import type { CaseView } from '../case-view.js';
import { actingText } from '../../desk/who.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { facts, state } from '../../console/parts.js';
import { caseForms, noteForm } from './case-forms.js';
import { nobodyElse, outcomeNames } from './cases.page.js';

/** A case: its texts to the operator who has claimed it, and to others the rest. */
export function casePage(frame: Frame, shown: CaseView): string {
  const { caseId, postId, targetActorId, claimedBy, reports } = shown;
  const content = html`<section class="card" aria-labelledby="case">
      <h1 id="case">
        ${postId === undefined ? 'Reported account' : 'Reported post'}
        ${state(shown.state, shown.state === 'appealed')}
      </h1>
      ${facts([
        ['id', html`<code>${caseId}</code>`],
        ...(postId === undefined
          ? []
          : [['post', html`<a href="/console/posts/${postId}">${postId}</a>`] as const]),
        [
          postId === undefined ? 'account' : 'author',
          html`<a href="/console/accounts/${targetActorId}">${targetActorId}</a>`,
        ],
        ['reports', String(reports.total)],
        ['claimed by', claimedBy === null ? 'nobody' : nameOf(shown, claimedBy)],
        ...shown.hiddenBy.map(hiding(shown)),
      ])}
      ${shown.isOpen && shown.decisions.length > 0 && !shown.hasOtherOperator ? nobodyElse : undefined}
      ${shown.isMine ? undefined : html`<p class="quiet">Its texts are shown to the operator who has claimed it, which is recorded.</p>`}
      ${caseForms(frame, shown)}
    </section>
    ${subject(shown)} ${reportList(shown)} ${decisionList(shown)} ${history(frame, shown)}`;
  return consolePage(`Case ${caseId}`, content, frame, { isWide: true });
}

const nameOf = ({ operators }: CaseView, id: string): Html => html`<bdi>${operators[id] ?? id}</bdi>`;

const hiding =
  (shown: CaseView) =>
  ({ of, at, operatorId, cause }: CaseView['hiddenBy'][number]) => {
    const by = cause === null ? 'by itself' : html`as a part of <a href="/console/log/${cause}">${cause}</a>`;
    return [
      of === 'post' ? 'post restricted' : 'account suspended',
      html`${timeElement(at)}, by <bdi>${actingText({ operatorId }, shown.operators) ?? 'unknown'}</bdi>,
        ${by}`,
    ] as const;
  };

interface Shown {
  readonly text?: string | undefined;
  readonly erased?: boolean | undefined;
}

function textOf(label: Html | string, { text, erased }: Shown): Html | undefined {
  if (erased) return html`<p class="quiet">${label}: erased with the account.</p>`;
  return text === undefined || text === '' ? undefined : quotation(label, text);
}

function subject({ post, profile }: CaseView): Html | undefined {
  if (!post && !profile) return undefined;
  return html`<section class="card" aria-labelledby="subject">
    <h2 id="subject">
      What it is about ${post ? state(post.status, post.status !== 'published') : undefined}
    </h2>
    ${post?.versions.map((version) => textOf(html`Text of ${timeElement(version.at)}`, version) ?? html``)}
    ${profile ? textOf('Profile', profile) : undefined}
  </section>`;
}

const reportList = ({ reports: { total, newest } }: CaseView): Html =>
  html`<section class="card" aria-labelledby="reports">
    <h2 id="reports">Reports</h2>
    ${newest.length < total ? html`<p class="quiet">The newest ${String(newest.length)} of ${String(total)}.</p>` : undefined}
    <ol class="listed">
      ${newest.map(
        (report) =>
          html`<li>
            <strong>${report.reason}</strong> <span class="quiet small">${timeElement(report.at)}</span>
            ${report.isClosed ? state('closed', false) : undefined} ${textOf('Report', report)}
            ${report.reporterActorId === undefined ? undefined : reporter(report.reporterActorId)}
          </li>`,
      )}
    </ol>
  </section>`;

const reporter = (actorId: string): Html =>
  html`<p class="small">By <a href="/console/accounts/${actorId}">${actorId}</a></p>`;

const executions: Readonly<Record<Decision['execution'], string>> = {
  none: '',
  due: 'follow as soon as the stores answer',
  applied: 'applied',
  undoing: 'are undone as soon as the stores answer',
  undone: 'undone, unless somebody acted since',
};

const effectNames = { restrict_post: 'restrict the post', suspend_actor: 'suspend the account' } as const;

type Decision = CaseView['decisions'][number];

const effectsText = (effects: Decision['effects'], execution: Decision['execution']): string =>
  `${effects.map((effect) => effectNames[effect]).join(', ')} (${executions[execution]})`;

function decisionList(shown: CaseView): Html | undefined {
  if (shown.decisions.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">Decisions</h2>
    <ol class="listed">
      ${shown.decisions.map(
        ({ operatorId, at, outcome, effects, execution, appeal, hasOtherOperator }) =>
          html`<li>
            <strong>${outcomeNames[outcome]}</strong>
            <span class="quiet small">${timeElement(at)}, by ${nameOf(shown, operatorId)}</span>
            ${facts([
              ['effects', effects.length === 0 ? 'none' : effectsText(effects, execution)],
              ['appeal', appeal],
            ])}
            ${appeal === 'waiting' && !hasOtherOperator ? nobodyElse : undefined}
          </li>`,
      )}
    </ol>
  </section>`;
}

const textNames: Readonly<Partial<Record<string, string>>> = {
  'case.noted': 'Note',
  'case.appealed': 'Appeal',
};

const history = (frame: Frame, shown: CaseView): Html =>
  html`<section class="card" aria-labelledby="history">
    <h2 id="history">History</h2>
    ${noteForm(frame, shown)}
    <ol class="listed">
      ${shown.history.map(
        (entry) =>
          html`<li>
            <strong>${entry.type}</strong> <span class="quiet small">${timeElement(entry.at)}</span>
            ${entry.operatorId === null ? undefined : html`<p class="small">by ${nameOf(shown, entry.operatorId)}${entry.reason ? `: ${entry.reason}` : ''}</p>`}
            ${textOf(textNames[entry.type] ?? 'Notice', entry)}
          </li>`,
      )}
    </ol>
  </section>`;
