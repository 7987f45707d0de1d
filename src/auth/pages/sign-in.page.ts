import { html } from './html.js';
import { layout } from './layout.js';

export interface SignInPage {
  /** Address that the form is sent to. */
  readonly action: string;
  /** Anti-forgery field (see form-guard.ts). */
  readonly form: string;
  readonly applicationName: string;
  /** What was typed before, after a failure. */
  readonly handle: string;
  readonly problem?: string;
}

export function signInPage({ action, form, applicationName, handle, problem }: SignInPage): string {
  return layout(
    'Sign in',
    html`<h1>Sign in to Plaza</h1>
      <p>to continue to <strong>${applicationName}</strong></p>
      ${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
      <form method="post" action="${action}">
        <input type="hidden" name="form" value="${form}" />
        <label for="handle">Handle</label>
        <input
          id="handle"
          name="handle"
          value="${handle}"
          autocomplete="username"
          autocapitalize="none"
          required
          autofocus
        />
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <button class="main" type="submit">Sign in</button>
      </form>`,
  );
}
