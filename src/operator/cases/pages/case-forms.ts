import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { CaseView } from '../case-view.js';
import type { ActForm, FormFields, Frame } from '../../desk/page.js';
import { actNamed, mayDo } from '../../console/may.js';
import { actForm, proofField, textArea, textField } from '../../console/parts.js';
import { keycap, shortcut } from './case-keys.js';

/** Common to all forms of a case. */
export const caseForm = { leadsOn: true } satisfies ActForm<never>;

/** From a form that is refused. */
export const caseWays = (frame: Frame, { id = '' }: Readonly<Record<string, string>>): Html =>
  html`<p><a href="/console/cases">Back to the queue</a>.</p>
    ${nextForm(frame, id)}`;

/** The last reason that is not empty counts: a text in place of the chosen one. Only a violation has effects: one is ticked from the start. */
export const decisionIn = (form: FormFields): object => ({
  reason: form.all('reason').findLast((each) => each !== ''),
  ...(form.text('outcome') === 'no_violation' && { effects: [] }),
});

/** The forms of a case for an operator who may decide; empty for others. */
export function caseForms(frame: Frame, shown: CaseView): Html {
  if (!mayDo(frame.session, 'case.decide')) return html`<p class="quiet">Your roles decide no cases.</p>`;
  const { caseId, recusal, isMine, claimedBy } = shown;
  const inCase: InCase = (path, inside, name = '') =>
    html`<form method="post" action="${addressOf(caseId, path)}" class="${name}">
      ${proofField(frame.proof)} ${inside}
    </form>`;
  const forms = isMine
    ? [decisionForm(shown, inCase), rulingForm(frame, shown, inCase), releaseForm(caseId, inCase)]
    : [
        claimedBy === null ? claimForms(frame, shown, inCase) : folded(frame, shown, 'case.release', AWAY),
        nextForm(frame, caseId),
      ];
  return html`${recusal === null ? undefined : html`<p class="problem">${recusal.replace(`case ${caseId}`, 'this case')}</p>`}
  ${forms}`;
}

const AWAY = 'End the claim of an operator who is away';

export function noteForm(frame: Frame, shown: CaseView): Html {
  const hint = 'For operators who claim the case. It is erased with the account that the case is about.';
  const fields = textArea({ id: 'note', name: 'note', label: 'Note', hint });
  return mayDo(frame.session, 'case.note') ? folded(frame, shown, 'case.note', 'Add a note', fields) : html``;
}

type InCase = (path: string, inside: Html, name?: string) => Html;

const addressOf = (caseId: string, path: string): string => `/console/cases/${caseId}/${path}`;

/** `after`: the case that is left. */
const nextForm = ({ proof, session }: Frame, caseId: string): Html =>
  mayDo(session, 'case.decide')
    ? html`<form method="post" action="/console/cases/next">
        ${proofField(proof)} ${hiddenField('after', caseId)}
        <button ${shortcut('n')}>Claim the next case ${keycap('n')}</button>
      </form>`
    : html``;

function folded({ proof }: Frame, { caseId }: CaseView, act: string, button: string, fields?: Html): Html {
  const { path, reason } = actNamed(act);
  return actForm({
    action: path.replace('/operator/', '/console/').replace(':id', caseId),
    button,
    proof,
    id: button.replaceAll(' ', '-').toLowerCase(),
    reason,
    ...(fields && { fields }),
  });
}

function claimForms(frame: Frame, shown: CaseView, inCase: InCase): Html {
  const { isOpen, recusal } = shown;
  const isFree = recusal === null;
  const canRule = appealFor(frame, shown) !== undefined;
  const claim = html`<button class="main" ${shortcut('c')}>
    Claim the case, and show its texts ${keycap('c')}
  </button>`;
  return html`${(isOpen && isFree) || canRule ? inCase('claim', claim) : undefined}
  ${isOpen || !isFree ? undefined : folded(frame, shown, 'case.reopen', 'Reopen the case')}`;
}

function releaseForm(caseId: string, inCase: InCase): Html {
  const next = `${addressOf(caseId, 'release')}?then=next`;
  return inCase(
    'release',
    html`<button>Release the case</button> <button formaction="${next}">Release, then next</button>`,
    'pair',
  );
}

function decisionForm({ caseId, isOpen, postId, recusal, reasons }: CaseView, inCase: InCase): Html {
  if (!isOpen || recusal !== null) return html``;
  const decide = addressOf(caseId, 'decide');
  return inCase(
    'decide',
    html`${noDefault}
      <fieldset>
        <legend>Reason</legend>
        <div class="reasons">
          ${reasons.map((reason, n) =>
            choice({
              type: 'radio',
              name: 'reason',
              value: reason,
              id: `reason-${String(n + 1)}`,
              label: reason,
              key: String(n + 1),
            }),
          )}
        </div>
        ${reasonField('decide', 'Or in words of your own', true)}
      </fieldset>
      <fieldset>
        <legend>Effects of a violation</legend>
        ${postId === undefined ? undefined : choice({ ...effect('restrict_post', 'Restrict the post', 'r'), isTicked: true })}
        ${choice(effect('suspend_actor', 'Suspend the account', 's'))}
      </fieldset>
      ${notice('violation')}
      ${buttons({ address: decide, outcome: 'violation', label: 'Violation', key: 'v', isMain: true })}
      ${buttons({ address: decide, outcome: 'no_violation', label: 'No violation', key: 'd' })}`,
    'decision',
  );
}

/** For the oldest appeal that is not against a decision of this operator. */
function rulingForm(frame: Frame, shown: CaseView, inCase: InCase): Html {
  const { caseId } = shown;
  const appealed = appealFor(frame, shown);
  if (!appealed) return html``;
  return inCase(
    'appeal/uphold',
    html`${noDefault} ${hiddenField('decisionId', appealed.decisionId)}
      <p class="small quiet">
        The appeal is against the decision of ${timeElement(appealed.at)}. To overturn it undoes its effects.
      </p>
      ${reasonField('rule', 'Reason', false)} ${notice('ruling')}
      ${buttons({ address: addressOf(caseId, 'appeal/uphold'), label: 'Uphold', key: 'u', isMain: true })}
      ${buttons({ address: addressOf(caseId, 'appeal/overturn'), label: 'Overturn', key: 'o' })}`,
    'decision',
  );
}

const appealFor = ({ session }: Frame, { decisions }: CaseView) =>
  decisions.find(({ appeal, operatorId }) => appeal === 'waiting' && operatorId !== session?.operatorId);

/** Enter in a field presses the first button: this one does nothing. */
const noDefault = html`<button disabled hidden></button>`;

interface Choice {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly id: string;
  readonly label: string;
  readonly key: string;
  readonly isTicked?: boolean;
}

const choice = ({ type, name, value, id, label, key, isTicked = false }: Choice): Html =>
  html`<p class="choice">
    <input
      type="${type}"
      name="${name}"
      value="${value}"
      id="${id}"
      ${shortcut(key)}
      ${isTicked ? html`checked` : undefined}
    />
    <label for="${id}">${label} ${keycap(key)}</label>
  </p>`;

const effect = (value: string, label: string, key: string): Choice => ({
  type: 'checkbox',
  name: 'effects',
  value,
  id: value,
  label,
  key,
});

const reasonField = (form: string, label: string, isOptional: boolean): Html =>
  textField({
    id: `${form}-reason`,
    name: 'reason',
    label,
    hint: 'It is recorded as you write it, and stays for good: name no person.',
    isOptional,
    maxLength: 500,
  });

const notice = (id: string): Html =>
  textArea({
    id: `${id}-notice`,
    name: 'notice',
    label: 'Text for the person (optional)',
    hint: 'On their account page. It is erased with the account.',
    isOptional: true,
  });

/** A decision, with and without the next case after it. */
function buttons(made: {
  readonly address: string;
  readonly outcome?: string;
  readonly label: string;
  readonly key: string;
  readonly isMain?: boolean;
}): Html {
  const { address, outcome, label, key, isMain = false } = made;
  const sent = outcome === undefined ? undefined : html`name="outcome" value="${outcome}"`;
  return html`<p class="pair">
    <button
      class="${isMain ? 'main' : ''}"
      formaction="${address}?then=next"
      ${sent}
      ${shortcut(key)}
      data-waits="${label}"
    >
      ${label}, then next ${keycap(key)}
    </button>
    <button formaction="${address}" ${sent}>${label}</button>
  </p>`;
}
