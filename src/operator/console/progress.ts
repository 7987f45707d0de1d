import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { RELOAD_SECONDS } from './view.js';
import { numbers } from './tables.js';

/** `total` null: unknown. */
export function progressBar(label: string, done: number, total: number | null): Html {
  const bar =
    total === null
      ? html`<progress aria-label="${label}"></progress>`
      : html`<progress
          aria-label="${label}"
          value="${String(done)}"
          max="${String(Math.max(1, total))}"
        ></progress>`;
  return html`<p class="figure">
      ${numbers.format(done)}${total === null ? '' : ` of ${numbers.format(total)}`}
    </p>
    <p>${bar}</p>`;
}

/** A page that reloads has no form: the reload would take its input. */
export const reloading = (path: string, isReloading: boolean): Html =>
  isReloading
    ? html`<p class="small">
        This page loads again every ${String(RELOAD_SECONDS)} seconds until the end.
        <a href="${path}${path.includes('?') ? '&' : '?'}follow=no">Stop that, and show the forms</a>
      </p>`
    : html`<p class="small"><a href="${path}">Follow the progress</a></p>`;
