import { MAX_OLD_CASES } from '../../../../projections/cases/waiting-cases.read-model.js';
import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { mayDo } from '../../console/may.js';
import { named } from '../../console/names.js';
import { state } from '../../console/parts.js';
import { counted, numbers } from '../../console/tables.js';
import type { Frame } from '../../desk/page.js';
import type { Overview } from '../answers.js';

/** The work that waits for operators, each part with a way to it for whom it is. */
export const waitingCard = (frame: Frame, overview: Overview): Html =>
  html`<section class="card" aria-labelledby="waits">
    <h2 id="waits">What waits</h2>
    <div class="tiles">${casesPart(frame, overview)} ${approvalsPart(frame)} ${erasuresPart(overview)}</div>
  </section>`;

function casesPart({ session }: Frame, { cases, oldCases }: Overview): Html {
  if (cases === null || oldCases === null)
    return part('Cases', html`<p>unknown: the database does not answer</p>`);
  const opens = mayDo(session, 'case.list');
  const appeals = `${counted(cases.appealed, 'appeals')} to decide`;
  const old = oldCases.filter(({ count }) => count > 0);
  return part(
    'Cases',
    html`<p class="figure">${numbers.format(cases.open)} open</p>
      <ul class="links">
        ${old.map(
          ({ severity, count, hours }) =>
            html`<li>
              ${state('old', true)} ${count === MAX_OLD_CASES ? 'at least ' : ''}${numbers.format(count)} of
              ${severity} severity, undecided for more than ${counted(hours, 'hours')}
            </li>`,
        )}
        ${old.length === 0 ? html`<li>none is older than it should be</li>` : undefined}
        <li>${numbers.format(cases.claimed)} claimed</li>
        <li>${opens ? html`<a href="/console/cases?state=appealed">${appeals}</a>` : appeals}</li>
      </ul>
      ${opens ? html`<p class="small"><a href="/console/cases">To the queue</a></p>` : undefined}`,
  );
}

const approvalsPart = ({ session, waiting = 0 }: Frame): Html | undefined =>
  mayDo(session, 'approval.list')
    ? part(
        'Approvals',
        html`<p class="figure">
          ${waiting === 0 ? 'none' : html`<a href="/console/approvals">${numbers.format(waiting)} waiting</a>`}
        </p>`,
      )
    : undefined;

const erasuresPart = ({ erasures }: Overview): Html =>
  part(
    'Planned erasures',
    erasures === null
      ? html`<p>unknown: the database or the log does not answer</p>`
      : html`<p class="figure">${counted(erasures.count, 'accounts')}</p>
          <ul class="links">
            ${erasures.next.map(
              ({ actorId, erasesAt, plannedBy }) =>
                html`<li>
                  ${named.person(actorId)}, ${timeElement(erasesAt)}, planned by
                  <bdi>${plannedBy ?? 'the person'}</bdi>
                </li>`,
            )}
          </ul>`,
  );

const part = (title: string, content: Html): Html =>
  html`<div>
    <h3>${title}</h3>
    ${content}
  </div>`;
