import { hiddenField, html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { passkeys } from '../../../base/pages/passkey-script.js';
import { operators } from '../../../base/pages/operators.js';
import { passkeyForm, problemBox, textField } from './parts.js';
import type { PasskeyOptions } from './parts.js';

export interface SignInPage {
  readonly action: string;
  readonly form: string;
  /** Undefined: the operators create the accounts. `contact`: how to ask them. */
  readonly signUp: string | undefined;
  readonly contact: string | undefined;
  readonly recovery: string;
  readonly applicationName: string | undefined;
  readonly handle: string;
  readonly notice?: string | undefined;
  readonly problem?: string | undefined;
  readonly passkey: { readonly action: string; readonly options: PasskeyOptions };
}

export function signInPage(page: SignInPage): string {
  const { action, form, signUp, contact, recovery, applicationName, handle, notice, problem, passkey } = page;
  const lead =
    applicationName === undefined
      ? html`<p class="quiet">to see your account, and which applications may act for you</p>`
      : html`<p class="quiet">
          to go on to <strong><bdi>${applicationName}</bdi></strong>
        </p>`;
  return pageLayout(
    'Sign in',
    html`${notice && html`<p class="notice" role="status">${notice}</p>`}
      <h1>Sign in to Plaza</h1>
      ${lead} ${problemBox(problem)}
      <form method="post" action="${action}">
        ${hiddenField('form', form)}
        <div class="fields">
          ${textField({
            name: 'handle',
            label: 'Handle',
            autocomplete: 'username',
            value: handle,
            first: handle === '',
          })}
          ${textField({
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: 'current-password',
            first: handle !== '',
          })}
          <button class="main" type="submit">Sign in</button>
        </div>
      </form>
      ${passkeyForm({ ...passkey, form, label: 'Sign in with a passkey' })}
      <p class="hint"><a href="${recovery}">Forgot your password?</a></p>
      <p class="aside">
        New here?
        ${
          signUp === undefined
            ? html`Ask ${operators(contact)} for an account.`
            : html`<a href="${signUp}">Create an account</a>`
        }
      </p>`,
    {
      foot: html`<p>Your password stays here. Applications never see it.</p>`,
      script: passkey.options && passkeys,
    },
  );
}
