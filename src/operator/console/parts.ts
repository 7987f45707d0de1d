import { hiddenField, html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { PROOF_FIELD } from './form.js';

export const proofField = (proof: string): Html => hiddenField(PROOF_FIELD, proof);

export interface TextField {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
}

export function textField({ id, name, label, value, hint, isOptional, maxLength = 64 }: TextField): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      maxlength="${String(maxLength)}"
      autocomplete="off"
      ${value === undefined ? undefined : html`value="${value}"`}
      ${hint === undefined ? undefined : html`aria-describedby="${id}-hint"`}
      ${isOptional ? undefined : html`required`}
    />
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

export interface TextArea {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
}

export function textArea({ id, name, label, hint, value, isOptional, maxLength = 2_000 }: TextArea): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <textarea
      id="${id}"
      name="${name}"
      rows="4"
      maxlength="${String(maxLength)}"
      aria-describedby="${id}-hint"
      ${isOptional ? undefined : html`required`}
    >
${value}</textarea>
    <p class="hint" id="${id}-hint">${hint}</p>
  </div>`;
}

export const state = (text: string, isBad: boolean): Html =>
  html`<span class="state${isBad ? ' bad' : ''}">${text}</span>`;

export function facts(listed: readonly (readonly [Html | string, Html | string])[]): Html {
  return html`<dl class="facts">
    ${listed.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

export interface ActForm {
  readonly action: string;
  readonly button: string;
  readonly proof: string;
  /** Prefix of the ids in the form. */
  readonly id: string;
  readonly reason?: 'required' | 'optional' | undefined;
  readonly fields?: Html;
}

/** A form of an act. It opens from its name, without a script. */
export function actForm({ action, button, proof, id, reason, fields }: ActForm): Html {
  return html`<details class="act">
    <summary>${button}</summary>
    <form method="post" action="${action}">
      ${proofField(proof)}
      <div class="fields">
        ${fields}
        ${
          reason &&
          textField({
            id: `${id}-reason`,
            name: 'reason',
            label: reason === 'optional' ? 'Reason (optional)' : 'Reason',
            hint: 'It is recorded as you write it, and stays for good: name no person.',
            isOptional: reason === 'optional',
            maxLength: 500,
          })
        }
        <button type="submit">${button}</button>
      </div>
    </form>
  </details>`;
}

/** A form that the passkey script answers; `options`: of the browser's question. */
export function passkeyForm(form: {
  readonly action: string;
  readonly step: 'create' | 'get';
  readonly options: unknown;
  readonly proof: string;
  readonly button: string;
  readonly fields?: Html;
}): Html {
  return html`<form method="post" action="${form.action}">
    ${proofField(form.proof)} ${hiddenField('credential', '')}
    <div class="fields">
      ${form.fields}
      <button
        class="main"
        type="submit"
        data-passkey="${form.step}"
        data-options="${JSON.stringify(form.options)}"
      >
        ${form.button}
      </button>
    </div>
    <p class="problem" data-fault role="alert" hidden></p>
    <noscript
      ><p class="problem">Passkeys need JavaScript. The rest of the console works without.</p></noscript
    >
  </form>`;
}
