import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { asksForPage } from '../../../server/asks-for-page.js';
import { clientRequestIdOf } from '../../../server/client-request-id.js';
import { refusalPage } from '../../../server/refusal.page.js';
import { setRefusalCode } from '../../../server/refusal-code.js';
import { Fault, toFault, oauthError, RETRY_AFTER_SECONDS } from '../rules/faults.js';
import { isBrowserPath } from '../rules/routes.js';
import { ACCOUNT_PATH } from '../settings.js';
import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { pageHeaders } from '../../../base/pages/layout.js';
import { operators } from '../../../base/pages/operators.js';

/** `raw`: undefined in a page that is made before the request. */
interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly raw?: IncomingMessage;
}

/** @param contact of the operators */
export function faultPage(fault: Fault, request: FailedRequest, contact: string | undefined): string {
  const { status, socialCode: code, description } = fault;
  const words = wordsFor(fault, request);
  return refusalPage({
    status,
    code,
    ...words,
    message: words?.message ?? description,
    detail: words && description,
    advice: adviceFor(fault, request, contact),
    contact,
    requestId: request.raw && clientRequestIdOf(request.raw),
  });
}

/** For a person, in place of a description that only a developer understands. */
function wordsFor({ status, code }: Fault, request: FailedRequest) {
  if (code === 'invalid_client')
    return {
      title: 'Unknown application',
      message: 'No application is registered here with the id that brought you, or it is suspended.',
    };
  if (isOfApplication(status, request))
    return {
      title: 'The application made a mistake',
      message: 'It sent you here with a request that this network cannot accept. Nothing was changed.',
    };
  return status === 405 ? { message: 'A browser cannot open it in this way.' } : undefined;
}

/** True for a wrong request that no person can mend by starting again. */
const isOfApplication = (status: number, { url }: FailedRequest): boolean =>
  status >= 400 && status < 429 && /\/oauth2\/(?:authorize|end-session)(?:\?|$)/.test(url);

const account = html`<a href="${ACCOUNT_PATH}">your account page</a>`;

function adviceFor(
  { status, code, wroteNothing }: Fault,
  request: FailedRequest,
  contact: string | undefined,
): Html {
  const { method, url } = request;
  if (status === 503)
    return method === 'POST' && !wroteNothing
      ? // The log may have accepted the write although its confirmation was lost.
        html`<p>It is not known whether this was done. Going back and trying again is safe.</p>`
      : html`<p>Nothing was changed. Reload this page to try again.</p>`;
  if (status === 429) return html`<p>Then go back to the page before this one.</p>`;
  if (code === 'invalid_client' || isOfApplication(status, request))
    return html`<p>
      Only the people who run the application can mend this. They can ask ${operators(contact)}.
    </p>`;
  if (code === 'social_authority_required')
    return html`<p>Ask ${operators(contact)}, or go to ${account}.</p>`;
  return url.startsWith(ACCOUNT_PATH)
    ? html`<p>Go to ${account}.</p>`
    : html`<p>
        Go back to the application and start again, or go to ${account}. If it fails again, only the people
        who run the application can mend it.
      </p>`;
}

/** The page of a request that was refused before anything was done. */
export function busyPage(description: string, contact: string | undefined) {
  const fault = new Fault(503, 'temporarily_unavailable', description, { wroteNothing: true });
  return { headers: pageHeaders(), html: faultPage(fault, { method: 'POST', url: ACCOUNT_PATH }, contact) };
}

export function renderFault(ctx: KoaContextWithOIDC, error: Error, contact: string | undefined): void {
  const fault = toFault(error);
  ctx.status = fault.status;
  setRefusalCode(ctx.res, fault.code);
  if (fault.isTransient) ctx.set('retry-after', RETRY_AFTER_SECONDS);
  const mayBePage = isBrowserPath(ctx.path);
  if (mayBePage) ctx.set('vary', 'Accept');
  if (mayBePage && asksForPage(ctx.headers)) {
    ctx.set(pageHeaders());
    ctx.body = faultPage(fault, { method: ctx.method, url: ctx.url, raw: ctx.req }, contact);
  } else ctx.body = oauthError(fault);
}
