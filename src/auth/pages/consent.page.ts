import { isScope, scopeDescriptions } from '../../domain/grant/scopes.js';
import { releasedClaims } from '../protocol/claims.js';
import { html } from './html.js';
import { layout } from './layout.js';

export interface ConsentPage {
  readonly action: string;
  /** Anti-forgery field (see form-guard.ts). */
  readonly form: string;
  readonly applicationName: string;
  /** Host that the answer goes to: what a name cannot lie about. */
  readonly applicationHost: string;
  readonly displayName: string;
  readonly handle: string;
  readonly scopes: readonly string[];
}

export function consentPage(page: ConsentPage): string {
  return layout(
    'Connect an application',
    html`<h1>Connect <strong>${page.applicationName}</strong>?</h1>
      <p>You are signed in as <strong>${page.displayName}</strong> (@${page.handle}).</p>
      <p>${page.applicationName} (${page.applicationHost}) will be able to:</p>
      <ul>
        ${page.scopes.map((scope) => html`<li>${inWords(scope)}</li>`)}
      </ul>
      <form method="post" action="${page.action}">
        <input type="hidden" name="form" value="${page.form}" />
        <button class="main" type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny">Deny</button>
      </form>`,
  );
}

function inWords(scope: string): string {
  if (!isScope(scope)) return scope;
  const words = scopeDescriptions[scope];
  return scope === 'openid' ? `${words}: ${releasedClaims}` : words;
}
