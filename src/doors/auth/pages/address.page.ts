import { hiddenField, html } from '../../../base/pages/html.js';
import { operators } from '../../../base/pages/operators.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { passkeys } from '../../../base/pages/passkey-script.js';
import { passkeyButton, textField } from './parts.js';
import type { PasskeyOptions } from './parts.js';

export type AddressField = 'email' | 'confirm';

export interface AddressPage {
  readonly action: string;
  readonly account: string;
  readonly form: string;
  readonly sendsMail: boolean;
  readonly contact: string | undefined;
  readonly handle: string;
  readonly address: string;
  readonly typed: string;
  readonly faults: Readonly<Partial<Record<AddressField, string>>>;
  readonly options: PasskeyOptions;
}

export function addressPage(page: AddressPage): string {
  const { action, account, form, sendsMail, contact, handle, address, typed, faults, options } = page;
  return pageLayout(
    'Another address',
    html`<h1>Another e-mail address</h1>
      <p class="quiet">Now it is <bdi>${address}</bdi>.</p>
      ${
        sendsMail
          ? html`<form method="post" action="${action}">
                ${hiddenField('form', form)}
                <input hidden name="username" value="${handle}" autocomplete="username" />
                <div class="fields">
                  ${textField({
                    name: 'email',
                    label: 'New e-mail address',
                    type: 'email',
                    autocomplete: 'email',
                    value: typed,
                    fault: faults.email,
                    first: faults.confirm === undefined,
                  })}
                  ${textField({
                    name: 'confirm',
                    label: 'Your password',
                    type: 'password',
                    autocomplete: 'current-password',
                    fault: faults.confirm,
                    first: faults.confirm !== undefined,
                  })}
                  <button class="main" type="submit">Send a link to it</button>
                  ${passkeyButton({ options })}
                </div>
              </form>
              <p class="hint">
                It counts once you open the link and confirm it in this browser. Your present address is then
                told, if you had confirmed it, and no longer opens your account.
              </p>`
          : html`<p>
              This network sends no mail, so no address can be confirmed. Ask ${operators(contact)}.
            </p>`
      }
      <p class="aside"><a href="${account}">Back to your account</a></p>`,
    { script: options && passkeys },
  );
}

export interface ConfirmAddressPage {
  readonly action: string;
  readonly account: string;
  readonly form: string;
  readonly token: string;
  readonly handle: string;
  readonly address: string;
}

export function confirmAddressPage(page: ConfirmAddressPage): string {
  const { action, account, form, token, handle, address } = page;
  return pageLayout(
    'Confirm your address',
    html`<h1>Is this your address?</h1>
      <p>
        <strong><bdi>${address}</bdi></strong> becomes the confirmed address of <strong>@${handle}</strong>.
      </p>
      <p class="quiet">
        A reader of its mails can then set a new password for this account, and applications believe that the
        address is yours.
      </p>
      <form method="post" action="${action}">
        ${hiddenField('form', form)} ${hiddenField('token', token)}
        <div class="fields"><button class="main" type="submit">Confirm the address</button></div>
      </form>
      <p class="aside"><a href="${account}">Leave it, and go to your account</a></p>`,
  );
}

const reasons = {
  ended: 'The link is too old, or your password or address has changed since it was made.',
  taken: 'The address is that of another account, which confirmed it before.',
  'of another account':
    'You are signed in to another account than the one in the mail. Sign out, sign in to that one, and open the link again.',
  'signed out':
    'Sign in to the account that the mail names, in this browser, and open the link again. If that account is not yours, do nothing.',
} as const;

export interface UnusableLinkPage {
  readonly why: keyof typeof reasons;
  readonly account: string;
}

export function unusableLinkPage({ why, account }: UnusableLinkPage): string {
  const title = why === 'signed out' ? 'Sign in first' : 'This link cannot be used';
  return pageLayout(
    title,
    html`<h1>${title}</h1>
      <p>${reasons[why]} Nothing was changed.</p>
      <p class="aside">
        <a href="${account}">${why === 'signed out' ? 'Sign in' : 'Go to your account'}</a>
      </p>`,
  );
}
