import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ListedApproval } from '../../desk/approvals/listed.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { actForm, facts, state } from '../../console/parts.js';

const words: Readonly<Record<ListedApproval['state'], string>> = {
  waiting: 'waiting',
  given: 'approved',
  refused: 'refused',
  voided: 'void: it was refused, or would do something else by now',
  used: 'in doubt: execute it again',
  carried_out: 'executed',
  expired: 'expired',
};

export const approvalState = (is: ListedApproval['state']): Html =>
  state(words[is], is !== 'given' && is !== 'carried_out');

export function approvalPage(frame: Frame, approval: ListedApproval): string {
  const { act, requestedBy, requestedByName, decidedBy, decidedByName } = approval;
  const content = html`<section class="card" aria-labelledby="approval">
    <h1 id="approval">${act} ${approvalState(approval.state)}</h1>
    ${facts([
      ...Object.entries(approval.facts).map(
        ([name, value]) => [name, html`<bdi>${[value].flat().join(' ')}</bdi>`] as const,
      ),
      ['reason', approval.reason ?? 'none'],
      ['requested by', person(requestedBy, requestedByName)],
      ['requested', timeElement(approval.requestedAt)],
      ['valid until', timeElement(approval.expiresAt)],
      ...(decidedBy === null
        ? []
        : ([
            ['decided by', person(decidedBy, decidedByName)],
            ['reason of the decision', approval.decision ?? 'none'],
          ] as const)),
      ['digest', html`<code>${approval.digest}</code>`],
    ])}
    ${forms(frame, approval)}
  </section>`;
  return consolePage(`Approval of ${act}`, content, frame);
}

const person = (id: string, name: string | null): Html => html`<bdi>${name ?? ''}</bdi> <code>${id}</code>`;

function forms({ proof, session }: Frame, approval: ListedApproval): Html | undefined {
  const { approvalId, act, state: is, requestedBy, digest } = approval;
  const one = `/console/approvals/${approvalId}`;
  const isOwn = session?.operatorId === requestedBy;
  const isOpen = is === 'waiting' || is === 'given';
  const mayDecide = mayDo(session, 'approval.give') && mayDo(session, act);
  const approve = actForm({
    action: `${one}/approve`,
    button: 'Approve',
    proof,
    id: 'approve',
    reason: 'optional',
    fields: hiddenField('digest', digest),
  });
  const refuse = actForm({
    action: `${one}/refuse`,
    button: isOwn ? 'Withdraw' : 'Refuse',
    proof,
    id: 'refuse',
    reason: 'required',
  });
  const run = actForm({ action: `${one}/run`, button: 'Execute it', proof, id: 'run' });
  return html`${is === 'waiting' && !isOwn && mayDecide ? approve : undefined}
  ${isOpen && (isOwn || mayDecide) ? refuse : undefined}
  ${isOwn && (is === 'given' || is === 'used') ? run : undefined}`;
}
