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
          ? html`<p>People can read and post.</p>`
          : html`<p>People may be unable to read or post now.</p>
              <p>Load this page again in a minute. Only ${operators(contact)} can mend it.</p>`
      }
      <ul class="applications">
        ${Object.entries(components).map(([name, health]) => part(name, health))}
      </ul>`,
    { foot: html`<p>Checked just now. Programs get the same as JSON.</p>` },
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
      ${status === 'ok' ? html`<span class="quiet">working</span>` : html`<span class="badge">not working</span>`}
    </div>
    ${reason && html`<p class="small">${reason}</p>`}
  </li>`;
}
