import type { KoaContextWithOIDC } from 'oidc-provider';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { Fault, toFault, oauthError, RETRY_AFTER_SECONDS } from '../rules/faults.js';
import { ACCOUNT_PATH } from '../settings.js';
import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { pageLayout, pageHeaders } from '../../../base/pages/layout.js';

interface FailedRequest {
  readonly method: string;
  readonly url: string;
}

export function faultPage(fault: Fault, request: FailedRequest): string {
  const { status, socialCode, description } = fault;
  const title = titles.get(status) ?? 'This did not work';
  return pageLayout(
    title,
    html`<h1>${title}</h1>
      <p>${description}</p>
      ${adviceFor(fault, request)}
      <p class="small quiet">${socialCode}</p>`,
  );
}

const titles: ReadonlyMap<number, string> = new Map([
  [404, 'Page not found'],
  [429, 'Too many tries'],
  [503, 'Not available right now'],
]);

function adviceFor({ status, wroteNothing }: Fault, { method, url }: FailedRequest): Html {
  if (status === 503)
    return method === 'POST' && !wroteNothing
      ? // The log may have accepted the write although its confirmation was lost.
        html`<p>It is not known whether this was done. Going back and trying again is safe.</p>`
      : html`<p>Nothing was changed. Reload this page to try again.</p>`;
  if (status === 429) return html`<p>Then go back to the page before this one.</p>`;
  return url.startsWith(ACCOUNT_PATH)
    ? html`<p>Go to <a href="${ACCOUNT_PATH}">your account page</a>.</p>`
    : html`<p>
        Go back to the application and start again, or go to <a href="${ACCOUNT_PATH}">your account page</a>.
      </p>`;
}

/** The page of a request that was refused before anything was done. */
export function busyPage(description: string) {
  const fault = new Fault(503, 'temporarily_unavailable', description, { wroteNothing: true });
  return { headers: pageHeaders(), html: faultPage(fault, { method: 'POST', url: ACCOUNT_PATH }) };
}

export function renderFault(ctx: KoaContextWithOIDC, error: Error): void {
  const fault = toFault(error);
  ctx.status = fault.status;
  setRefusalCode(ctx.res, fault.code);
  if (fault.isTransient) ctx.set('retry-after', RETRY_AFTER_SECONDS);
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.set(pageHeaders());
    ctx.body = faultPage(fault, ctx);
  } else ctx.body = oauthError(fault);
}
