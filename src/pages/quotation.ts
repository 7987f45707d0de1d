import { html } from './html.js';
import type { Html } from './html.js';

/** A text of a person, as they wrote it. */
export const quotation = (label: Html | string, text: string): Html =>
  html`<figure class="inset">
    <figcaption class="small quiet">${label}</figcaption>
    <blockquote>${text}</blockquote>
  </figure>`;
