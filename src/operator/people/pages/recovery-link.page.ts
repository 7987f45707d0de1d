import { html, timeElement } from '../../../base/pages/html.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import type { MadeLink } from '../made-link.js';

/** The link is shown once, as the answer to the form that made it, or that executed its approval. */
export function recoveryLinkPage(frame: Frame, { link, worksFrom, worksUntil, told }: MadeLink): string {
  const title = 'The link';
  const content = html`<section class="card" aria-labelledby="made">
    <h1 id="made">${title}</h1>
    <p>
      Give it to the person of the account, and to nobody else: it sets a new password, once. It is shown only
      now, and works from ${timeElement(worksFrom)} until ${timeElement(worksUntil)}.
    </p>
    <p class="secret">${link}</p>
    <p>
      ${
        told === 0
          ? 'Nobody is told by mail: the account has no confirmed address, or the network sends none. Its page tells who is signed in.'
          : 'Its person is told by mail and on the account page (while suspended: the page of appeals), and can end it.'
      }
    </p>
    <p><a href="/console">Go on</a></p>
  </section>`;
  return consolePage(title, content, frame);
}
