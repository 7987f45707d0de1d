import { allScopes, isScope, scopeDescriptions } from '../../../domain/grant/scopes.js';
import { releasedClaims } from '../rules/claims.js';
import type { FormerName } from '../../../domain/application/change.js';
import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly type?: 'text' | 'email' | 'password';
  /** Text that the person typed before, shown again; never a password. */
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly first?: boolean | undefined;
  readonly capitals?: boolean;
  /** The browser refuses a longer text before it asks for a passkey. */
  readonly maxLength?: number;
}

export function textField(field: FormField): Html {
  const {
    name,
    label,
    autocomplete,
    type = 'text',
    value,
    hint,
    fault,
    first = false,
    capitals = false,
    maxLength,
  } = field;
  const described = [fault && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      autocapitalize="${capitals ? 'words' : 'none'}"
      spellcheck="false"
      ${value === undefined ? undefined : html`value="${value}"`}
      ${described === '' ? undefined : html`aria-describedby="${described}"`}
      ${fault === undefined ? undefined : html`aria-invalid="true"`}
      ${maxLength === undefined ? undefined : html`maxlength="${String(maxLength)}" pattern=".*\\S.*"`}
      ${first ? html`autofocus` : undefined}
      required
    />
    ${fault && html`<p class="fault" id="${name}-fault" role="alert">${fault}</p>`}
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

/** Options of a question to the browser, as JSON. Undefined: there is nothing to ask for, or passkeys cannot be used here. */
export type PasskeyOptions = object | undefined;

interface PasskeyButton {
  readonly options: PasskeyOptions;
  readonly step?: 'get' | 'create';
  readonly label?: string;
  readonly isMain?: boolean;
}

/** A button that answers the form by a passkey instead of its required fields. Without a script it is hidden. */
export function passkeyButton({
  options,
  step = 'get',
  label = 'Use a passkey instead',
  isMain = false,
}: PasskeyButton): Html | undefined {
  if (!options) return undefined;
  return html`${hiddenField('credential', '')}
    <button
      type="submit"
      ${isMain ? html`class="main"` : html`formnovalidate`}
      hidden
      data-passkey="${step}"
      data-options="${JSON.stringify(options)}"
    >
      ${label}
    </button>
    <p class="problem" data-fault role="alert" hidden></p>`;
}

interface PasskeyForm {
  readonly action: string;
  readonly form: string;
  readonly options: PasskeyOptions;
  readonly label: string;
}

/** A form of a passkey alone. Without a script it is hidden. */
export const passkeyForm = ({ action, form, options, label }: PasskeyForm): Html | undefined =>
  options &&
  html`<form method="post" action="${action}" hidden>
    ${hiddenField('form', form)}
    <div class="fields">${passkeyButton({ options, label })}</div>
  </form>`;

interface Confirmation {
  readonly name: string;
  readonly label: string;
  readonly handle: string;
  readonly fault: string | undefined;
  readonly options: PasskeyOptions;
  /** The buttons of the form. `byPasskey`: the words of the one that answers by a passkey. */
  readonly buttons: Html;
  readonly byPasskey?: string;
}

/** Fields by which a signed-in person proves again who they are: by password, or by a passkey if they have one. */
export const confirmation = ({
  name,
  label,
  handle,
  fault,
  options,
  buttons,
  byPasskey,
}: Confirmation): Html =>
  html`<input hidden name="username" value="${handle}" autocomplete="username" />
    <div class="fields">
      ${textField({
        name,
        label,
        type: 'password',
        autocomplete: 'current-password',
        fault,
        first: fault !== undefined,
      })}
      ${buttons} ${passkeyButton({ options, ...(byPasskey !== undefined && { label: byPasskey }) })}
    </div>`;

export function problemBox(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`;
}

export interface Person {
  readonly displayName: string;
  readonly handle: string;
}

export function personCard({ displayName, handle }: Person): Html {
  const [first = ''] = displayName;
  return html`<div class="person">
    <span class="monogram" aria-hidden="true">${first.toUpperCase()}</span>
    <p>
      <strong><bdi>${displayName}</bdi></strong
      ><br /><span class="quiet">@${handle}</span>
    </p>
  </div>`;
}

/** A person who knows the application by such a name recognizes it. */
export const formerNameLines = (names: readonly FormerName[]): readonly Html[] =>
  names.map(
    ({ name, until }) =>
      html`<p class="small">It was called <bdi>${name}</bdi> until ${timeElement(until)}.</p>`,
  );

export function scopeList(scopes: readonly string[]): Html {
  const ordered = [
    ...allScopes.filter((scope) => scopes.includes(scope)),
    ...scopes.filter((scope) => !isScope(scope)),
  ];
  return html`<ul class="scopes">
    ${ordered.map((scope) => html`<li>${scopeInWords(scope)}</li>`)}
  </ul>`;
}

export function scopeInWords(scope: string): string {
  if (!isScope(scope)) return scope;
  const words = scopeDescriptions[scope];
  return scope === 'openid' ? `${words}: ${releasedClaims}` : words;
}
