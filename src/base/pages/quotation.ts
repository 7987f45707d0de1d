import { html } from './html.js';
import type { Html } from './html.js';

export const quotation = (label: Html | string, text: string): Html =>
  html`<figure class="inset">
    <figcaption class="small quiet">${label}</figcaption>
    <blockquote>${text}</blockquote>
  </figure>`;
