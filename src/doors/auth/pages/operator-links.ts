import type { OperatorLink } from '../../../domain/account/recovery-link.js';
import { hiddenField, html, secondElement, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';

/** `past`: the newest first. It is shown for good. */
export interface OperatorLinksView {
  readonly open: OperatorLink | undefined;
  readonly past: readonly OperatorLink[];
}

export interface OperatorLinksCard extends OperatorLinksView {
  readonly action: string;
  readonly form: string;
}

const spanOf = ({ worksFrom, worksUntil }: OperatorLink): Html =>
  html`from ${timeElement(worksFrom)} until ${timeElement(worksUntil)}`;

/** First on the page: its person may not have asked for the link. */
export function openLinkCard({ open, action, form }: OperatorLinksCard): Html | undefined {
  if (!open) return undefined;
  return html`<section class="card" aria-labelledby="open-link">
    <h2 id="open-link">The operators made a link into your account</h2>
    <p>
      Who has it can set a new password, once, ${spanOf(open)}. If you asked the operators of this network for
      it, there is nothing to do.
    </p>
    <p><strong>If you did not, end it.</strong> A change of your password ends it, too.</p>
    <form method="post" action="${action}">
      ${hiddenField('form', form)} ${hiddenField('link', open.linkId)}
      <button class="main" type="submit">End the link</button>
    </form>
  </section>`;
}

/** On other pages of a session. */
export const openLinkNotice = (open: OperatorLink, account: string): Html =>
  html`<p class="problem" role="status">
    The operators made a link that sets a new password for your account, ${spanOf(open)}. If you did not ask
    for it, <a href="${account}">end it on your account page</a>.
  </p>`;

const outcomes = {
  used: 'set a new password',
  ended: 'ended before its use',
} as const;

export function pastLinksCard({ past }: OperatorLinksView): Html | undefined {
  if (past.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="past-links">
    <h2 id="past-links">Links of the operators</h2>
    <p class="quiet">The operators made these links that set a new password for your account.</p>
    <ul class="links">
      ${past.map(
        (link) =>
          html`<li>
            ${secondElement(link.madeAt)}:
            ${link.outcome === undefined ? 'never used, and works no more' : outcomes[link.outcome]}
          </li>`,
      )}
    </ul>
  </section>`;
}
