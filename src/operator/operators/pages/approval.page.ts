import { hiddenField, html, secondElement, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ListedApproval } from '../../desk/approvals/listed.js';
import { idsIn } from '../approval-evidence.js';
import type { ShownApproval } from '../approval-evidence.js';
import { discloseAllForm } from '../../audit/pages/disclose-all-form.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { firstOf, itemNamed, sampledNamed } from '../../console/items.js';
import { findAct, mayDo } from '../../console/may.js';
import { named } from '../../console/names.js';
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

/** The one thing that the request is about, by its name. Undefined: there are several, or none. */
export function subjectOf(approval: ListedApproval): Html | undefined {
  const { about } = approval;
  const [id] = idsIn(approval);
  return about?.count === 1 && id !== undefined ? itemNamed(about.kind, id) : undefined;
}

export function approvalPage(frame: Frame, approval: ShownApproval): string {
  const { asks, does, state: is, reason, decidedBy, decision } = approval;
  const content = html`<section class="card" aria-labelledby="approval">
      <h1 id="approval">${asks} ${approvalState(is)}</h1>
      <p>
        ${named.operator(approval.requestedBy)} asked for it on ${secondElement(approval.requestedAt)}. Why:
        <bdi>${reason ?? 'no reason is given'}</bdi>
      </p>
      ${
        decidedBy === null
          ? undefined
          : html`<p>
              ${named.operator(decidedBy)} decided on
              it${approval.decidedAt === null ? undefined : html` on ${secondElement(approval.decidedAt)}`}.
              Why: <bdi>${decision ?? 'no reason is given'}</bdi>
            </p>`
      }
      <p>What happens on approval, once its requester executes it: ${does}</p>
      ${outcome(approval)}
    </section>
    ${evidence(frame, approval)}
    <section class="card" aria-labelledby="request">
      <h2 id="request">The request</h2>
      ${facts([
        ...Object.entries(approval.facts)
          .filter(([name]) => name !== approval.about?.fact)
          .map(([name, value]) => [name, factOf(name, [value].flat().join(', '))] as const),
        ['valid until', timeElement(approval.expiresAt)],
        ['digest', html`<code>${approval.digest}</code>`],
      ])}
      ${forms(frame, approval)}
    </section>`;
  return consolePage('Approval', content, frame);
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function factOf(name: string, value: string): Html {
  if (name === 'application') return named.application(value);
  const isTime = (name === 'from' || name === 'until') && moment.test(value);
  return isTime ? secondElement(Date.parse(value)) : html`<bdi>${value}</bdi>`;
}

function outcome({ act, approvalId, state: is }: ListedApproval): Html | undefined {
  const { path, name } = (is === 'carried_out' && findAct(act)?.approval?.leadsTo?.(approvalId)) || {};
  return path === undefined ? undefined : html`<p><a href="${path}">To ${name}</a></p>`;
}

/** The items as they are now. The digest is one of ids: a text may have changed since the request. */
function evidence(frame: Frame, { about, sample, requestedAt }: ShownApproval): Html | undefined {
  if (!about || sample.length === 0) return undefined;
  const hidden = sample.filter(({ isPublic }) => !isPublic);
  const eventIds = hidden.flatMap(({ eventId }) => eventId ?? []);
  return html`<section class="card" aria-labelledby="evidence">
    <h2 id="evidence">What it is about</h2>
    ${firstOf(
      sample.map(
        (item) =>
          html`${sampledNamed(about.kind, item)}
          ${item.writtenAt !== null && item.writtenAt > requestedAt ? state('changed since the request', true) : undefined}`,
      ),
      about.count,
    )}
    ${hidden.length === 0 ? undefined : html`<p>${notPublic(hidden.length, sample.length)}</p>`}
    ${discloseAllForm(frame, eventIds)}
  </section>`;
}

const notPublic = (hidden: number, all: number): string =>
  all === 1 ? 'It is not public.' : `${hidden} of these ${all} ${hidden === 1 ? 'is' : 'are'} not public.`;

function forms({ proof, session }: Frame, approval: ListedApproval): Html | undefined {
  const { approvalId, act, state: is, requestedBy, digest } = approval;
  if (!findAct(act)) return undefined;
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
