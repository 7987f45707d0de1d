import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ListedApproval } from '../../desk/approvals/listed.js';
import { consolePage } from '../../console/layout.js';
import { named } from '../../console/names.js';
import type { Frame } from '../../desk/page.js';
import { facts } from '../../console/parts.js';
import { approvalState, subjectOf } from './approval.page.js';

export function approvalsPage(frame: Frame, listed: readonly ListedApproval[]): string {
  const content = html`<section class="card" aria-labelledby="approvals">
    <h1 id="approvals">Approvals</h1>
    <p>
      While <a href="/console/four-eyes">four-eyes</a> is on, these acts happen only once another operator has
      approved what they would do.
    </p>
    ${listed.length === 0 ? html`<p>Nobody has requested one.</p>` : undefined}
    <ul class="listed">
      ${listed.map(
        (each) =>
          html`<li>
            <h2>
              <a href="/console/approvals/${each.approvalId}">${each.asks}</a> ${approvalState(each.state)}
            </h2>
            ${facts([
              ...about(each),
              ['requested by', named.operator(each.requestedBy)],
              ['requested', timeElement(each.requestedAt)],
              ['reason', html`<bdi>${each.reason ?? 'none'}</bdi>`],
            ])}
          </li>`,
      )}
    </ul>
  </section>`;
  return consolePage('Approvals', content, frame);
}

function about(listed: ListedApproval): readonly (readonly [string, Html])[] {
  const subject = subjectOf(listed);
  return subject ? [['about', subject]] : [];
}
