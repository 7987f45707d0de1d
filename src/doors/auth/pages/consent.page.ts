import type { FormerName } from '../../../domain/application/change.js';
import { hiddenField, html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import type { OperatorLink } from '../../../domain/account/recovery-link.js';
import { openLinkNotice } from './operator-links.js';
import { formerNameLines, personCard, scopeList } from './parts.js';
import type { Person } from './parts.js';

export interface ConsentPage {
  readonly action: string;
  readonly switchAction: string;
  readonly account: string;
  readonly form: string;
  readonly applicationName: string;
  readonly formerNames: readonly FormerName[];
  /** Host of the redirect address: unlike the name, an application cannot fake it. */
  readonly applicationHost: string;
  readonly person: Person;
  readonly scopes: readonly string[];
  readonly openLink: OperatorLink | undefined;
}

export function consentPage(page: ConsentPage): string {
  const form = hiddenField('form', page.form);
  return pageLayout(
    'Connect an application',
    html` ${page.openLink && openLinkNotice(page.openLink, page.account)}
      <h1>Connect <bdi>${page.applicationName}</bdi>?</h1>
      <p class="quiet">at ${page.applicationHost}</p>
      ${formerNameLines(page.formerNames)}
      <div class="inset">
        <p class="small quiet">You are signed in as</p>
        ${personCard(page.person)}
      </div>
      <h2>It will be able to</h2>
      ${scopeList(page.scopes)}
      <form method="post" action="${page.action}">
        ${form}
        <div class="buttons">
          <button class="main" type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny">Deny</button>
        </div>
      </form>
      <form class="aside" method="post" action="${page.switchAction}">
        ${form} Not you? <button class="plain" type="submit">Use another account</button>
      </form>`,
    {
      foot: html`<p>
        You can disconnect it at any time on <a href="${page.account}">your account page</a>.
      </p>`,
    },
  );
}
