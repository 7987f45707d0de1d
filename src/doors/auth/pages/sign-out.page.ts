import type { KoaContextWithOIDC } from 'oidc-provider';
import { ACCOUNT_PATH } from '../settings.js';
import { Html, html } from '../../../base/pages/html.js';
import { pageLayout, pageHeaders } from '../../../base/pages/layout.js';

const buttons = html`<div class="buttons">
  <button class="main" type="submit" name="logout" value="yes">Sign out</button>
  <button type="submit">Stay signed in</button>
</div>`;

/**
 * Shows the page that asks a person to confirm a sign-out.
 * @param form the library's HTML, with hidden fields and without a button
 */
export function renderSignOut(ctx: KoaContextWithOIDC, form: string): void {
  ctx.set(pageHeaders(postLogoutOrigin(ctx)));
  ctx.body = pageLayout(
    'Sign out',
    html`<h1>Sign out of Plaza?</h1>
      <p>
        Applications stay connected and can still act for you. You can disconnect them on
        <a href="${ACCOUNT_PATH}">your account page</a>.
      </p>
      ${new Html(form.replace('</form>', `${buttons.text}</form>`))}`,
  );
}

/**
 * Origin of the address that the application wants the browser to return to after the sign-out; undefined without one.
 */
export function postLogoutOrigin({ oidc }: KoaContextWithOIDC): string | undefined {
  const { postLogoutRedirectUri: address } = oidc.session?.state ?? {};
  return typeof address === 'string' ? new URL(address).origin : undefined;
}

export function renderSignedOut(ctx: KoaContextWithOIDC): void {
  ctx.set(pageHeaders());
  ctx.body = pageLayout(
    'Done',
    html`<h1>Done</h1>
      <p>You can close this page, or go to <a href="${ACCOUNT_PATH}">your account page</a>.</p>`,
  );
}

/**
 * Shows a page to a person who declined to sign out.
 * @param application origin to link to. The whole return address would tell the application that the sign-out was done.
 */
export function renderStillSignedIn(ctx: KoaContextWithOIDC, application: string | undefined): void {
  ctx.set(pageHeaders());
  ctx.body = pageLayout(
    'You are still signed in',
    html`<h1>You are still signed in</h1>
      <p>Nothing was changed. Go to <a href="${ACCOUNT_PATH}">your account page</a>.</p>
      ${application && html`<p>Or go back to <a href="${application}">${application}</a>.</p>`}`,
  );
}
