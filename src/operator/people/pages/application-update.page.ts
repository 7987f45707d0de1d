import { allScopes } from '../../../domain/grant/scopes.js';
import { FORMER_NAME_DAYS } from '../../../domain/application/change.js';
import { hiddenField, html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { consolePage } from '../../console/layout.js';
import { mayDo } from '../../console/may.js';
import { actForm, textArea, textField } from '../../console/parts.js';
import { counted, table } from '../../console/tables.js';
import type { Frame } from '../../desk/page.js';
import type { UpdatePreview } from '../update-preview.js';
import type { ApplicationDossier } from '../dossiers.js';

const addressOf = (clientId: string): string => `/console/applications/${clientId}/update`;

/** The application as it is, to change and preview. */
export function updateForm({ session, proof }: Frame, about: ApplicationDossier): Html | undefined {
  if (!mayDo(session, 'application.update')) return undefined;
  const hint = 'One per line.';
  return actForm({
    action: `${addressOf(about.clientId)}/preview`,
    button: 'Preview a change of the application',
    proof,
    id: 'update',
    fields: html`${textField({ id: 'update-name', name: 'name', label: 'Name', value: about.name })}
      ${textArea({
        id: 'update-redirects',
        name: 'redirectUris',
        label: 'Redirect addresses',
        hint,
        maxLength: 20_000,
        value: about.redirectUris.join('\n'),
      })}
      ${textArea({
        id: 'update-goodbyes',
        name: 'postLogoutRedirectUris',
        label: 'Addresses after sign-out (optional)',
        hint,
        maxLength: 20_000,
        isOptional: true,
        value: about.postLogoutRedirectUris.join('\n'),
      })}
      <fieldset>
        <legend>Scopes that it may request</legend>
        ${allScopes.map(
          (scope) =>
            html`<p class="choice">
              <input
                type="checkbox"
                name="scopes"
                value="${scope}"
                id="update-${scope}"
                ${about.scopes.includes(scope) ? html`checked` : undefined}
              />
              <label for="update-${scope}">${scope}</label>
            </p>`,
        )}
      </fieldset>`,
  });
}

const labels = {
  name: 'name',
  redirectUris: 'redirect addresses',
  postLogoutRedirectUris: 'addresses after sign-out',
  scopes: 'scopes',
} as const;

type Field = keyof typeof labels;

const textOf = (value: Value): string => (typeof value === 'string' ? value : value.join('\n'));

export function previewPage(frame: Frame, preview: UpdatePreview): string {
  const { clientId, before, after, endsGrants, revision } = preview;
  const differing = (Object.keys(labels) as Field[]).filter(
    (field) => textOf(before[field]) !== textOf(after[field]),
  );
  const content = html`<section class="card" aria-labelledby="preview">
    <h1 id="preview">Preview: a change of <bdi>${before.name}</bdi></h1>
    <p>
      ${differing.length === 0 ? 'Nothing would change.' : 'Nothing has changed yet.'}
      <a href="/console/applications/${clientId}">Back to the application</a>
    </p>
    ${
      differing.length === 0
        ? undefined
        : html`${table(
              'What changes',
              ['field', 'now', 'then'],
              differing.map((field) => [
                labels[field],
                shown(before[field], after[field], 'removed'),
                shown(after[field], before[field], 'new'),
              ]),
            )}
            <ul class="links">
              ${effectsOf(preview, differing).map((effect) => html`<li>${effect}</li>`)}
            </ul>
            ${actForm({
              action: addressOf(clientId),
              button: 'Change exactly this',
              proof: frame.proof,
              id: 'update',
              reason: 'required',
              fields: html`${hiddenField('name', after.name)}
              ${hiddenField('redirectUris', after.redirectUris.join(' '))}
              ${hiddenField('postLogoutRedirectUris', after.postLogoutRedirectUris.join(' '))}
              ${after.scopes.map((scope) => hiddenField('scopes', scope))}
              ${hiddenField('revision', String(revision))}
              ${endsGrants > 0 ? hiddenField('endsGrants', 'yes') : undefined}`,
            })}`
    }
  </section>`;
  return consolePage('Preview of a change', content, frame);
}

type Value = string | readonly string[];

/** `mark`: of a line of a list that the other one lacks. */
const shown = (value: Value, other: Value, mark: string): Html =>
  html`${[value]
    .flat()
    .map(
      (line) =>
        html`<div>
          ${typeof value === 'string' || other.includes(line) ? html`<bdi>${line}</bdi>` : html`<bdi><strong>${line}</strong></bdi> (${mark})`}
        </div>`,
    )}`;

function effectsOf({ before, after, endsGrants }: UpdatePreview, differing: readonly Field[]): string[] {
  const adds = after.scopes.some((scope) => !before.scopes.includes(scope));
  return [
    ...(endsGrants === 0
      ? []
      : [
          `It ends ${counted(endsGrants, 'grants')} that have a removed scope: these people have to consent again.`,
        ]),
    ...(adds ? ['Each person gets a new scope with their next consent, and no grant that exists.'] : []),
    ...(differing.includes('name') ? [`People see the former name for ${FORMER_NAME_DAYS} days.`] : []),
    ...(differing.includes('redirectUris')
      ? ['Who is at a page of consent for a removed address has to begin again.']
      : []),
  ];
}
