import { html, timeElement } from '../../../base/pages/html.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';

export interface ShownSecret {
  readonly title: string;
  readonly secret: string;
  readonly expiresAt: number;
  readonly advice: string;
  readonly to: string;
}

/** A secret that is shown once, as the answer to the form that made it. */
export function secretPage(frame: Frame, { title, secret, expiresAt, advice, to }: ShownSecret): string {
  const content = html`<section class="card" aria-labelledby="made">
    <h1 id="made">${title}</h1>
    <p>${advice} It is shown only now, and is valid until ${timeElement(expiresAt)}.</p>
    <p class="secret">${secret}</p>
    <p><a href="${to}">Go on</a></p>
  </section>`;
  return consolePage(title, content, frame);
}
