import type { KoaContextWithOIDC } from 'oidc-provider';
import { Html, html } from './html.js';
import { layout, pageHeaders } from './layout.js';

/** @param form the library's form, whose id is `op.logoutForm`. */
export function renderSignOut(ctx: KoaContextWithOIDC, form: string): void {
  ctx.set(pageHeaders());
  ctx.body = layout(
    'Sign out',
    html`<h1>Sign out of Plaza?</h1>
      <p>Applications stay connected, and can go on acting for you.</p>
      ${new Html(form)}
      <button class="main" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
      <button type="submit" form="op.logoutForm">Stay signed in</button>`,
  );
}

export function renderSignedOut(ctx: KoaContextWithOIDC): void {
  ctx.set(pageHeaders());
  ctx.body = layout(
    'Signed out',
    html`<h1>Done</h1>
      <p>You can close this page.</p>`,
  );
}
