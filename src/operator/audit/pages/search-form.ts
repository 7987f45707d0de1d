import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { eventTypes } from '../../../log/registry.js';
import { textField } from '../../console/parts.js';
import type { View } from '../../desk/page.js';
import { verbOf } from '../../desk/sentences.js';
import { termText } from '../search-terms.js';

type Query = View['query'];

/** The filters of the fields beside the search, by the names of these fields. */
const pickers = { type: 'type', person: 'actor', app: 'app' } as const;

/** The typed terms and those of the other fields, each once. */
export function pickedSearch(query: Query): string {
  const typed = query['q'] ?? '';
  const picked = Object.entries(pickers).flatMap(([field, filter]) => {
    const value = query[field]?.trim() ?? '';
    const term = termText(filter, value);
    return value === '' || ` ${typed} `.includes(` ${term} `) ? [] : [term];
  });
  return [...(typed === '' ? [] : [typed]), ...picked].join(' ');
}

/** `problem`: why the search was refused. */
export const searchForm = (query: Query, problem?: string): Html =>
  html`<form method="get" action="/console/audit" role="search">
    <div class="fields wide">
      <div class="field">
        <label for="q">Terms that must all hold; none shows the newest events</label>
        <input
          id="q"
          name="q"
          value="${pickedSearch(query)}"
          maxlength="8192"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          aria-describedby="${problem === undefined ? '' : 'q-problem '}q-hint"
          ${problem === undefined ? undefined : html`aria-invalid="true" autofocus`}
        />
        ${problem === undefined ? undefined : html`<p class="problem" id="q-problem" role="alert">${problem}</p>`}
        <p class="hint" id="q-hint">
          <code
            >actor: app: grant: post: operator: claimed: type: request: intent: reason: since: until:
            -type:</code
          >, for example <code>actor:@ana since:24h -type:post.*</code>. <code>operator:</code> finds who
          acted; <code>claimed:</code> a name that nothing proves. The command line has the same search:
          <code>plaza audit</code>.
        </p>
      </div>
      <div class="pickers">
        <div class="field">
          <label for="type">Add: what happened</label>
          <select id="type" name="type">
            <option value="">anything</option>
            ${typesByVerb.map(([verb, type]) => html`<option value="${type}">${verb}</option>`)}
          </select>
        </div>
        ${textField({ id: 'person', name: 'person', label: 'Add: a person, by handle or id', isOptional: true })}
        ${textField({ id: 'app', name: 'app', label: 'Add: an application, by name or id', isOptional: true, maxLength: 200 })}
      </div>
      <button class="main" type="submit">Search</button>
    </div>
  </form>`;

/** Without reports: with the person beside it, two clicks would say who reported. */
const typesByVerb = eventTypes
  .filter((type) => type !== 'report.created')
  .map((type) => [verbOf(type), type] as const)
  .toSorted(([a], [b]) => a.localeCompare(b, 'en'));
