import { html, secondElement, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { batchIdOf, caseIdOf } from '../../../log/streams.js';
import type { CaseView } from '../case-view.js';
import { caseKeysAsset } from '../../console/assets.js';
import { consolePage } from '../../console/layout.js';
import { named, namedCase } from '../../console/names.js';
import type { Frame } from '../../desk/page.js';
import { verbOf } from '../../desk/sentences.js';
import { facts, proofField, state } from '../../console/parts.js';
import { personCard, reportCard, subjectPart, textOf } from './evidence.js';
import { caseForms, noteForm } from './case-forms.js';
import { keyList, waitingBar } from './case-keys.js';
import { effectNames, outcomeNames } from './case-words.js';
import { nobodyElse } from './cases.page.js';

/** A case: what it is about, and the decision beside it. Its texts are for the operator who has claimed it. */
export function casePage(frame: Frame, shown: CaseView): string {
  const { caseId, postId, targetActorId, claimedBy, post } = shown;
  const isPost = postId !== undefined;
  const content = html`<p class="small"><a href="/console/cases">Back to the queue</a></p>
    <div class="case">
      <div>
        <section class="card" aria-labelledby="case">
          <h1 id="case" tabindex="-1">
            ${isPost ? 'Reported post' : 'Reported account'} ${state(shown.state, shown.state === 'appealed')}
            ${post && post.status !== 'published' ? state(post.status, true) : undefined}
          </h1>
          ${facts([
            [isPost ? 'author' : 'account', named.person(targetActorId)],
            ...(isPost
              ? [
                  [
                    'post',
                    html`<a href="/console/posts/${postId}">dossier</a> <code class="id">${postId}</code>`,
                  ] as const,
                ]
              : []),
            ['claimed by', claimedBy === null ? 'nobody' : named.operator(claimedBy)],
            ...shown.hiddenBy.map((each) => hiding(each, caseId)),
          ])}
          ${subjectPart(shown)}
        </section>
        ${appealCard(shown)} ${reportCard(shown)} ${personCard(shown)} ${decisionList(shown)}
        ${history(frame, shown)}
        <a class="jump" href="#decision">Decide</a>
      </div>
      <section class="card deciding" aria-labelledby="decision">
        <h2 id="decision" tabindex="-1">Decision</h2>
        ${shown.isOpen && shown.decisions.length > 0 && !shown.hasOtherOperator ? nobodyElse : undefined}
        ${caseForms(frame, shown)} ${keyList}
      </section>
    </div>
    ${shown.isMine ? activeForm(frame, caseId) : undefined} ${waitingBar}`;
  // The browser keeps titles, which no erasure reaches.
  const title = isPost ? 'Case of a post' : 'Case of an account';
  return consolePage(title, content, frame, { scripts: [caseKeysAsset.path], isWide: true });
}

/** The script sends it while the claimer works. */
const activeForm = ({ proof }: Frame, caseId: string): Html =>
  html`<form method="post" action="/console/cases/${caseId}/active" id="active" hidden>
    ${proofField(proof)}
  </form>`;

const hiding = ({ of, at, operatorId, cause }: CaseView['hiddenBy'][number], shownId: string) =>
  [
    of === 'post' ? 'post restricted' : 'account suspended',
    html`${timeElement(at)}, by
    ${operatorId === null ? 'unknown' : named.operator(operatorId)}${causeOf(cause, shownId)}`,
  ] as const;

function causeOf(cause: string | null, shownId: string): Html {
  if (cause === null) return html`, by itself`;
  const [caseId, batchId] = [caseIdOf(cause), batchIdOf(cause)];
  if (caseId === shownId) return html`, by a decision of this case`;
  if (caseId !== undefined) return html`, for the case of ${namedCase(caseId)}`;
  return batchId === undefined
    ? html`, as a part of <a href="/console/log/${cause}">${cause}</a>`
    : html`, by <a href="/console/batches/${batchId}">a batch</a>`;
}

const executions: Readonly<Record<Decision['execution'], string>> = {
  none: '',
  due: 'follow as soon as the stores answer',
  applied: 'applied',
  undoing: 'are undone as soon as the stores answer',
  undone: 'undone, unless somebody acted since',
};

type Decision = CaseView['decisions'][number];

const effectsText = (effects: Decision['effects'], execution: Decision['execution']): string =>
  `${effects.map((effect) => effectNames[effect]).join(', ')} (${executions[execution]})`;

function decisionList(shown: CaseView): Html | undefined {
  if (shown.decisions.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">Decisions</h2>
    <ol class="listed">
      ${shown.decisions.map(
        ({ reason, operatorId, at, outcome, effects, execution, appeal, hasOtherOperator }) =>
          html`<li>
            <strong>${outcomeNames[outcome]}</strong>
            <span class="quiet small">${timeElement(at)}, by ${named.operator(operatorId)}</span>
            ${facts([
              ['effects', effects.length === 0 ? 'none' : effectsText(effects, execution)],
              ['appeal', appeal],
              ...(reason === null ? [] : [['why', html`<bdi>${reason}</bdi>`] as const]),
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
            <p>
              ${doerOf(entry)} ${verbOf(entry.type)}
              <span class="quiet small">${secondElement(entry.at)}</span>
            </p>
            ${entry.reason ? html`<p class="small">why: <bdi>${entry.reason}</bdi></p>` : undefined}
            ${textOf(textNames[entry.type] ?? 'Notice', entry)}
          </li>`,
      )}
    </ol>
  </section>`;

const doerOf = ({ operatorId, type }: CaseView['history'][number]): Html =>
  operatorId === null
    ? html`${type === 'case.appealed' ? 'The person' : 'The network'}`
    : named.operator(operatorId);

/** The newest appeal that waits: who rules on it reads it first. */
function appealCard({ state: is, history: entries }: CaseView): Html | undefined {
  const appeal = is === 'appealed' ? entries.findLast(({ type }) => type === 'case.appealed') : undefined;
  if (!appeal) return undefined;
  return html`<section class="card" aria-labelledby="appealed">
    <h2 id="appealed">The appeal that waits</h2>
    ${textOf('Appeal', appeal) ?? html`<p class="quiet">Its text is shown to the operator who has claimed the case.</p>`}
  </section>`;
}
