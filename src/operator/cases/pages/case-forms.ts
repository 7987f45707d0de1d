import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { CaseView } from '../case-view.js';
import type { Frame } from '../../desk/page.js';
import { actNamed, mayDo } from '../../console/may.js';
import { actForm, textArea } from '../../console/parts.js';

interface CaseForm {
  readonly act: string;
  readonly button: string;
  readonly fields?: Html;
}

export function caseForms(frame: Frame, shown: CaseView): Html {
  const forms = shown.isMine
    ? [...decisionForms(shown), ...rulingForms(frame, shown), release('Release the case')]
    : shown.claimedBy === null
      ? unclaimedForms(frame, shown)
      : [release('End the claim of an operator who is away')];
  return html`${shown.recusal === null ? undefined : html`<p class="problem">${shown.recusal}</p>`}
  ${forms.map((form) => caseForm(frame, shown, form))}`;
}

export const noteForm = (frame: Frame, shown: CaseView): Html =>
  caseForm(frame, shown, {
    act: 'case.note',
    button: 'Add a note',
    fields: textArea({
      id: 'note',
      name: 'note',
      label: 'Note',
      hint: 'For operators who claim the case. It is erased with the account that the case is about.',
    }),
  });

/** Empty if the role may not use it. */
function caseForm({ proof, session }: Frame, { caseId }: CaseView, { act, button, fields }: CaseForm): Html {
  if (!mayDo(session, act)) return html``;
  const { path, reason } = actNamed(act);
  const action = path.replace('/operator/', '/console/').replace(':id', caseId);
  return actForm({
    action,
    button,
    proof,
    id: button.replaceAll(' ', '-').toLowerCase(),
    reason,
    ...(fields && { fields }),
  });
}

const release = (button: string): CaseForm => ({ act: 'case.release', button });

function unclaimedForms({ session }: Frame, { isOpen, decisions, recusal }: CaseView): CaseForm[] {
  const canRule = decisions.some(
    ({ appeal, operatorId }) => appeal === 'waiting' && operatorId !== session?.operatorId,
  );
  const claim = { act: 'case.claim', button: 'Claim the case, and show its texts' };
  const reopen = { act: 'case.reopen', button: 'Reopen the case' };
  const isFree = recusal === null;
  return [...((isOpen && isFree) || canRule ? [claim] : []), ...(isOpen || !isFree ? [] : [reopen])];
}

function decisionForms({ isOpen, postId, recusal }: CaseView): CaseForm[] {
  if (!isOpen || recusal !== null) return [];
  return [
    {
      act: 'case.decide',
      button: 'Decide: violation',
      fields: html`${hiddenField('outcome', 'violation')}
        <fieldset>
          <legend>Effects</legend>
          ${postId === undefined ? undefined : effect('restrict_post', 'Restrict the post')}
          ${effect('suspend_actor', 'Suspend the account')}
        </fieldset>
        ${notice('violation')}`,
    },
    {
      act: 'case.decide',
      button: 'Decide: no violation',
      fields: hiddenField('outcome', 'no_violation'),
    },
  ];
}

const effect = (value: string, label: string): Html =>
  html`<p class="choice">
    <input type="checkbox" name="effects" value="${value}" id="${value}" />
    <label for="${value}">${label}</label>
  </p>`;

const notice = (id: string): Html =>
  textArea({
    id: `${id}-notice`,
    name: 'notice',
    label: 'Text for the person (optional)',
    hint: 'On their account page. It is erased with the account.',
    isOptional: true,
  });

/** For the oldest appeal that is not against a decision of this operator. */
function rulingForms({ session }: Frame, { decisions }: CaseView): CaseForm[] {
  const appealed = decisions.find(
    ({ appeal, operatorId }) => appeal === 'waiting' && operatorId !== session?.operatorId,
  );
  if (!appealed) return [];
  const against = html`${hiddenField('decisionId', appealed.decisionId)}
    <p class="small quiet">The appeal is against the decision of ${timeElement(appealed.at)}.</p>`;
  return [
    {
      act: 'appeal.uphold',
      button: 'Uphold the decision',
      fields: html`${against} ${notice('uphold')}`,
    },
    {
      act: 'appeal.overturn',
      button: 'Overturn the decision, and undo its effects',
      fields: html`${against} ${notice('overturn')}`,
    },
  ];
}
