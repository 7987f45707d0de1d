import type { KoaContextWithOIDC } from 'oidc-provider';
import { faultOf, oauthError, RETRY_AFTER } from '../protocol/faults.js';
import type { Fault } from '../protocol/faults.js';
import { html } from './html.js';
import { layout, pageHeaders } from './layout.js';

/** Tells a person what is wrong. */
export function faultPage({ socialCode, description, passing }: Fault): string {
  const title = passing ? 'Not available right now' : 'This did not work';
  const advice = passing
    ? html`<p>Nothing was changed. Reload this page to try again.</p>`
    : html`<p>Go back to the application and start again.</p>`;
  return layout(
    title,
    html`<h1>${title}</h1>
      <p>${description}</p>
      ${advice}
      <p class="quiet">${socialCode}</p>`,
  );
}

/** A page for a browser, an OAuth error for a program. */
export function renderFault(ctx: KoaContextWithOIDC, error: Error): void {
  const fault = faultOf(error);
  ctx.status = fault.status;
  if (fault.passing) ctx.set('retry-after', RETRY_AFTER);
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.set(pageHeaders());
    ctx.body = faultPage(fault);
  } else ctx.body = oauthError(fault);
}
