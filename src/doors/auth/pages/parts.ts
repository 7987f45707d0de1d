import { allScopes, isScope, scopeDescriptions } from '../../../domain/grant/scopes.js';
import { releasedClaims } from '../rules/claims.js';
import type { FormerName } from '../../../domain/application/change.js';
import { html, timeElement } from '../../../base/pages/html.js';
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
      ${first ? html`autofocus` : undefined}
      required
    />
    ${fault && html`<p class="fault" id="${name}-fault" role="alert">${fault}</p>`}
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

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
    ${ordered.map((scope) => html`<li>${inWords(scope)}</li>`)}
  </ul>`;
}

function inWords(scope: string): string {
  if (!isScope(scope)) return scope;
  const words = scopeDescriptions[scope];
  return scope === 'openid' ? `${words}: ${releasedClaims}` : words;
}
