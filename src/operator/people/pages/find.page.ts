import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { FoundSubject } from '../dossiers.js';
import { named } from '../../console/names.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';

const shown: Readonly<Record<FoundSubject['place'], (id: string) => Html>> = {
  accounts: (id) => html`Account ${named.person(id)}`,
  applications: (id) => html`Application ${named.application(id)}`,
  grants: (id) => html`<a href="/console/grants/${id}">Grant ${id}</a>`,
  posts: (id) => html`Post ${named.post(id)}`,
};

export function findPage(frame: Frame, { q, found }: { q: string; found: readonly FoundSubject[] }): string {
  const content = html`<section class="card" aria-labelledby="find">
    <h1 id="find">Find a dossier</h1>
    <form method="get" action="/console/subjects" role="search">
      <div class="fields">
        <div class="field">
          <label for="q">Handle, or id of an account, application, grant or post</label>
          <input
            id="q"
            name="q"
            value="${q}"
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            required
          />
          <p class="hint">Opening a dossier is recorded, with your name.</p>
        </div>
        <button class="main" type="submit">Find</button>
      </div>
    </form>
    ${q !== '' && found.length === 0 ? html`<p class="problem" role="status">Nothing has this handle or id.</p>` : undefined}
    <ul class="listed">
      ${found.map(({ place, id }) => html`<li>${shown[place](id)}</li>`)}
    </ul>
  </section>`;
  return consolePage('Find', content, frame);
}
