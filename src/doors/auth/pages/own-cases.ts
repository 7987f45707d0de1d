import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { quotation } from '../../../base/pages/quotation.js';

type Effect = 'restrict_post' | 'suspend_actor';

/** Something that restricts the post or the account now. `isDecision`: a decision of a case, which can be appealed. */
interface Hiding {
  readonly of: 'post' | 'account';
  readonly at: number;
  readonly isDecision: boolean;
}

/**
 * Texts are personal. `post`: the text that the decision is about. `ruling`: the notice of the ruling, may be empty.
 * `hiding`: what restricts post and account now, if a decision of the case was overturned.
 */
export interface OwnDecision {
  readonly caseId: string;
  readonly decisionId: string;
  readonly at: number;
  readonly post: string | undefined;
  readonly effects: readonly Effect[];
  readonly notice: string;
  readonly appeal: 'none' | 'waiting' | 'upheld' | 'overturned';
  readonly isBeingUndone: boolean;
  readonly hiding: readonly Hiding[];
  readonly appealText: string | undefined;
  readonly ruling: string;
}

/** `outcome` null: it is not decided. */
export interface OwnReportLine {
  readonly at: number;
  readonly reason: string;
  readonly isOfPost: boolean;
  readonly outcome: 'violation' | 'no_violation' | 'overturned' | null;
}

/** `decisions` undefined: they cannot be read now. */
export interface OwnCasesView {
  readonly decisions: readonly OwnDecision[] | undefined;
  readonly reports: readonly OwnReportLine[];
}

/** The answer to an appeal that was not accepted. `typed`: shown again. */
export interface AppealFault {
  readonly decisionId: string;
  readonly message: string;
  readonly typed: string;
}

export interface AppealForms {
  readonly action: string;
  readonly form: string;
  readonly fault: AppealFault | undefined;
}

export function decisionsCard(
  decisions: readonly OwnDecision[] | undefined,
  forms: AppealForms,
): Html | undefined {
  if (decisions?.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">Decisions about you</h2>
    ${
      decisions
        ? html`<p class="quiet">
              You can appeal each decision once. Another operator than the one who decided rules on the
              appeal.
            </p>
            <ul class="applications">
              ${decisions.map((each) => decision(each, forms))}
            </ul>`
        : html`<p>They cannot be shown right now. Please load the page again in a few seconds.</p>`
    }
  </section>`;
}

function decision(each: OwnDecision, forms: AppealForms): Html {
  return html`<li>
    <h3>${inWords(each)}</h3>
    <p class="small quiet">Decided ${timeElement(each.at)}</p>
    ${each.post === undefined || each.post === '' ? undefined : quotation('Your post', each.post)}
    ${each.notice === '' ? undefined : quotation('From the operators', each.notice)}
    ${each.appealText === undefined ? undefined : quotation('Your appeal', each.appealText)}
    ${each.appeal === 'none' ? appealForm(each, forms) : html`<p>${stateOfAppeal[each.appeal]}</p>`}
    ${each.appeal === 'overturned' ? remaining(each) : undefined}
    ${each.ruling === '' ? undefined : quotation('On your appeal', each.ruling)}
  </li>`;
}

/** Says why the post or account is hidden all the same: something else than the overturned decision restricts it. */
function remaining({ isBeingUndone, hiding }: OwnDecision): Html | undefined {
  if (isBeingUndone)
    return html`<p class="problem">
      What it did is being undone. Please load the page again in a few seconds.
    </p>`;
  if (hiding.length === 0) return undefined;
  return html`<div class="problem">
    ${hiding.map(
      ({ of, at, isDecision }) =>
        html`<p>
          ${of === 'post' ? 'Your post is still hidden' : 'Your account is still suspended, which hides your posts'},
          ${
            isDecision
              ? html`by another decision about you, of ${timeElement(at)}.`
              : html`by an operator, on ${timeElement(at)}, and not by this decision. Ask the operator of this
                network why.`
          }
        </p>`,
    )}
  </div>`;
}

const stateOfAppeal = {
  waiting: 'Your appeal waits for another operator than the one who decided.',
  upheld: 'After your appeal, another operator confirmed the decision.',
  overturned: 'After your appeal, another operator changed the decision: there was no violation.',
} as const;

function inWords({ effects }: OwnDecision): string {
  const done = effects.map((effect) =>
    effect === 'restrict_post' ? 'your post was hidden' : 'your account was suspended',
  );
  return ['Violation of the rules', ...(done.length > 0 ? [done.join(', and ')] : [])].join(': ');
}

function appealForm({ caseId, decisionId, at }: OwnDecision, { action, form, fault }: AppealForms): Html {
  const own = fault?.decisionId === decisionId ? fault : undefined;
  const id = `appeal-${decisionId}`;
  return html`<form method="post" action="${action}">
    ${hiddenField('form', form)} ${hiddenField('case', caseId)} ${hiddenField('decision', decisionId)}
    <div class="fields">
      <div class="field">
        <label for="${id}"
          >Your appeal<span class="unseen"> against the decision of ${timeElement(at)}</span></label
        >
        <textarea
          id="${id}"
          name="appeal"
          rows="5"
          maxlength="2000"
          aria-describedby="${own ? `${id}-fault ` : ''}${id}-hint"
          ${own && html`aria-invalid="true" autofocus`}
          required
        >
${own?.typed ?? ''}</textarea>
        ${own && html`<p class="fault" id="${id}-fault" role="alert">${own.message}</p>`}
        <p class="hint" id="${id}-hint">
          Say why the decision is wrong, in at most 2,000 characters. Only operators read it.
        </p>
      </div>
      <button type="submit">Appeal</button>
    </div>
  </form>`;
}

export function reportsCard(reports: readonly OwnReportLine[]): Html | undefined {
  if (reports.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="reports">
    <h2 id="reports">Your reports</h2>
    <ul class="applications">
      ${reports.map(
        ({ at, reason, isOfPost, outcome }) =>
          html`<li>
            <h3>${isOfPost ? 'A post' : 'A person'}: ${reason}</h3>
            <p class="small quiet">Reported ${timeElement(at)}</p>
            <p>${outcomes[outcome ?? 'waiting']}</p>
          </li>`,
      )}
    </ul>
  </section>`;
}

const outcomes = {
  waiting: 'The operators have not decided yet.',
  violation: 'The operators found a violation of the rules.',
  no_violation: 'The operators found no violation of the rules.',
  overturned: 'The operators found a violation at first, and changed that decision after an appeal.',
} as const;
