import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { pageLayout } from '../../base/pages/layout.js';
import { capitalized } from '../../base/support/capitalized.js';
import { operators } from '../../base/pages/operators.js';
import type { ComponentHealth, Readiness } from './health.js';

/** The readiness for people: it says what the JSON says, and no more. `contact`: of the operators. */
export function readinessPage({ status, components }: Readiness, contact: string | undefined): string {
  const isReady = status === 'ok';
  const title = isReady ? 'The network is ready' : 'The network is not ready';
  return pageLayout(
    title,
    html`<h1>${title}</h1>
      ${
        isReady
          ? html`<p>All that reading and posting need works.</p>`
          : html`<p>Something that reading or posting needs does not work.</p>
              <p>Load this page again in a minute. Only ${operators(contact)} can mend it.</p>`
      }
      <ul class="applications">
        ${Object.entries(components).map(([name, health]) => part(name, health))}
      </ul>`,
    { foot: html`<p>As the process that answered finds it now. Programs get the same as JSON.</p>` },
  );
}

const names: Readonly<Record<string, string>> = {
  eventStore: 'Event store',
  readModels: 'Read models',
};

function part(name: string, { status, reason }: ComponentHealth): Html {
  return html`<li>
    <div class="between">
      <h2>${names[name] ?? capitalized(name)}</h2>
      ${status === 'ok' ? html`<span class="quiet">works</span>` : html`<span class="badge">does not work</span>`}
    </div>
    ${reason && html`<p class="small">${reason}</p>`}
  </li>`;
}
