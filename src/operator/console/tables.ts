import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';

type Cell = Html | string;

/**
 * A table that scrolls sideways by itself on a narrow screen. The first cell of a row is its heading. `isDense`: on a wide
 * screen, a row is one line.
 */
export function table(
  label: string,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  { isDense = false } = {},
): Html {
  return html`<div class="scrolled" tabindex="0" role="group" aria-label="${label}">
    <table ${isDense ? html`class="dense"` : undefined}>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = '', ...others]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${others.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export const numbers = new Intl.NumberFormat('en');

/** `1 post`, `2 posts`. */
export const counted = (count: number, plural: string): string =>
  `${numbers.format(count)} ${count === 1 ? plural.replace(/s$/, '') : plural}`;
