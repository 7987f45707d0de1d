import { hiddenField, html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { passkeys } from '../../../base/pages/passkey-script.js';
import { decisionsCard } from './own-cases.js';
import type { AppealForms, OwnDecision } from './own-cases.js';
import { openLinkCard, pastLinksCard } from './operator-links.js';
import type { OperatorLinksCard } from './operator-links.js';
import { downloadCard } from './own-data.js';
import type { DownloadForm } from './own-data.js';
import { personCard } from './parts.js';
import type { Person } from './parts.js';

export interface AppealPage {
  readonly signOut: string;
  readonly person: Person;
  readonly decisions: readonly OwnDecision[] | undefined;
  readonly forms: AppealForms;
  readonly download: DownloadForm;
  readonly links: OperatorLinksCard;
  readonly notice: string | undefined;
}

/** The only page of a suspended person. */
export function appealPage(page: AppealPage): string {
  const { signOut, person, decisions, forms, download, links, notice } = page;
  const corner = html`<form method="post" action="${signOut}">
    ${hiddenField('form', forms.form)}
    <button class="slim" type="submit">Sign out</button>
  </form>`;
  return pageLayout(
    'Your account is suspended',
    html`${notice && html`<p class="notice" role="status">${notice}</p>`} ${openLinkCard(links)}
      <section class="card" aria-labelledby="suspended">
        <h1 id="suspended">Your account is suspended</h1>
        <p>You and your posts are hidden, and no application can act for you.</p>
        ${
          decisions?.length === 0
            ? html`<p>
                No decision about a report led to this, so there is none to appeal. Ask the operator of this
                network.
              </p>`
            : undefined
        }
        ${personCard(person)}
      </section>
      ${decisionsCard(decisions, forms)} ${pastLinksCard(links)} ${downloadCard(download)}`,
    { corner, wide: true, script: download.options && passkeys },
  );
}
