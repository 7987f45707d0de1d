import { html } from '../../../base/pages/html.js';
import type { ListedApplication } from '../../desk/applications.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { facts, state } from '../../console/parts.js';

export function applicationsPage(frame: Frame, listed: readonly ListedApplication[]): string {
  const opens = mayDo(frame.session, 'application.read');
  const content = html`<section class="card" aria-labelledby="applications">
    <h1 id="applications">Applications</h1>
    ${listed.length === 0 ? html`<p>No application is registered: <code>plaza app register</code>.</p>` : undefined}
    <ul class="listed">
      ${listed.map(
        ({ clientId, name, state: is, grants, scopes }) =>
          html`<li>
            <h2>
              ${
                opens
                  ? html`<a href="/console/applications/${clientId}"><bdi>${name}</bdi></a>`
                  : html`<bdi>${name}</bdi>`
              }
              ${is === 'active' ? undefined : state(is, true)}
            </h2>
            ${facts([
              ['usable grants', String(grants)],
              ['scopes', scopes.join(', ')],
              ['client id', html`<code>${clientId}</code>`],
            ])}
          </li>`,
      )}
    </ul>
  </section>`;
  return consolePage('Applications', content, frame);
}
