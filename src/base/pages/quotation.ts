import { html } from './html.js';
import type { Html } from './html.js';
import { shows } from '../../domain/name.js';

/** A text that somebody wrote. A blank frame would look as if it were missing. */
export function quotedText(text: string): Html {
  const shown = shows.test(text) ? text : html`<span class="quiet">(nothing visible)</span>`;
  return html`<blockquote>${shown}</blockquote>`;
}

export const quotation = (label: Html | string, text: string): Html =>
  html`<figure class="inset">
    <figcaption class="small quiet">${label}</figcaption>
    ${quotedText(text)}
  </figure>`;
