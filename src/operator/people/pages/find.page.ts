import { html } from '../../../base/pages/html.js';
import type { FoundSubject } from '../dossiers.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';

const nouns: Readonly<Record<FoundSubject['place'], string>> = {
  accounts: 'Account',
  applications: 'Application',
  grants: 'Grant',
  posts: 'Post',
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
      ${found.map(
        ({ place, id, name }) =>
          html`<li>
            <a href="/console/${place}/${id}">${nouns[place]} <bdi>${name ?? id}</bdi></a>
          </li>`,
      )}
    </ul>
  </section>`;
  return consolePage('Find', content, frame);
}
