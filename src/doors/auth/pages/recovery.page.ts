import { PASSWORD_MIN_CODE_POINTS } from '../passwords.js';
import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import { operators } from '../../../base/pages/operators.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { textField } from './parts.js';

export interface RecoveryPage {
  readonly action: string;
  readonly form: string;
  readonly signIn: string;
  readonly sendsMail: boolean;
  readonly contact: string | undefined;
  readonly typed: string;
  readonly fault: string | undefined;
}

export function recoveryPage(page: RecoveryPage): string {
  const { action, form, signIn, sendsMail, contact, typed, fault } = page;
  return pageLayout(
    'Forgot your password?',
    html`<h1>Forgot your password?</h1>
      ${
        sendsMail
          ? html`<p class="quiet">
                Type the e-mail address that you confirmed for your account. You get a link by which you
                choose a new password.
              </p>
              <form method="post" action="${action}">
                ${hiddenField('form', form)}
                <div class="fields">
                  ${textField({
                    name: 'email',
                    label: 'E-mail address',
                    type: 'email',
                    autocomplete: 'email',
                    value: typed,
                    fault,
                    first: true,
                  })}
                  <button class="main" type="submit">Send me a link</button>
                </div>
              </form>
              <p class="hint">
                An address that nobody confirmed opens no account. Ask ${operators(contact)}.
              </p>`
          : html`<p>This network sends no mail, so it cannot send you a link.</p>
              <p>Ask ${operators(contact)}.</p>`
      }
      <p class="aside"><a href="${signIn}">Back to the sign-in</a></p>`,
  );
}

/** The same page for every address. */
export function askedPage({
  minutes,
  signIn,
}: {
  readonly minutes: number;
  readonly signIn: string;
}): string {
  return pageLayout(
    'Look at your mail',
    html`<h1>Look at your mail</h1>
      <p>
        If the address was confirmed for an account, a mail is on its way to it. Its link works once, and for
        ${String(minutes)} minutes.
      </p>
      <p class="quiet">
        Nothing came after some minutes? Look into the folder for unwanted mail, and try the other addresses
        that you have. A few mails an hour are sent to one address.
      </p>
      <p class="aside"><a href="${signIn}">Back to the sign-in</a></p>`,
  );
}

/** By the state of the account, if no second step follows. */
const nextWords = {
  active: 'It signs you in here, and signs every other browser out.',
  suspended: 'It signs every browser out, and opens the page of your suspended account here.',
  'second-step':
    'It signs every browser out. Then you show a passkey or type a recovery code, and are signed in here.',
} as const;

export interface NewPasswordPage {
  readonly action: string;
  readonly form: string;
  readonly handle: string;
  readonly next: keyof typeof nextWords;
  readonly fault: string | undefined;
}

export function newPasswordPage({ action, form, handle, next, fault }: NewPasswordPage): string {
  return pageLayout(
    'A new password',
    html`<h1>A new password for @${handle}</h1>
      <p class="quiet">${nextWords[next]}</p>
      <form method="post" action="${action}">
        ${hiddenField('form', form)}
        <input hidden name="username" value="${handle}" autocomplete="username" />
        <div class="fields">
          ${textField({
            name: 'new',
            label: 'New password',
            type: 'password',
            autocomplete: 'new-password',
            hint: `At least ${PASSWORD_MIN_CODE_POINTS} characters. Longer is better, and a few words will do.`,
            fault,
            first: true,
          })}
          <p class="choice">
            <input type="checkbox" id="disconnect" name="disconnect" value="all" />
            <label for="disconnect"
              >Also disconnect every application, if somebody else was in your account</label
            >
          </p>
          <button class="main" type="submit">Set the password</button>
        </div>
      </form>`,
  );
}

export function endedPage({ again }: { readonly again: string }): string {
  return pageLayout(
    'This link has ended',
    html`<h1>This link has ended</h1>
      <p>
        It was used, it is too old, or your password or address has changed since. Nothing was changed now.
      </p>
      <p class="aside"><a href="${again}">Ask for another link</a></p>`,
  );
}

/** A link of operators, before it works. */
export function earlyPage({ worksFrom }: { readonly worksFrom: number }): string {
  return pageLayout(
    'This link does not work yet',
    html`<h1>This link does not work yet</h1>
      <p>
        It works from ${timeElement(worksFrom)} on, for a day. Until then the person of the account is told,
        and can end it. Keep the link, and open it then.
      </p>`,
  );
}

export interface EndLinkPage {
  readonly action: string;
  readonly form: string;
  readonly token: string;
}

export function endLinkPage({ action, form, token }: EndLinkPage): string {
  return pageLayout(
    'End the link of the operators?',
    html`<h1>End the link of the operators?</h1>
      <p>
        The operators of this network made a link that sets a new password for your account. If you did not
        ask them for it, end it: your password stays as it is.
      </p>
      <form method="post" action="${action}">
        ${hiddenField('form', form)} ${hiddenField('token', token)}
        <button class="main" type="submit">End the link</button>
      </form>`,
  );
}

/** The page of a mail's link that ended one of the operators before, or of an address that is not whole. */
export const noOpenLinkPage = ({ account }: { readonly account: string }): string =>
  pageLayout(
    'No such link is open',
    html`<h1>No such link is open</h1>
      <p>
        The operators' link is no longer open: it was used or ended, or its time is over. If you did not copy
        the address whole, open it again from the mail. Nothing was changed now.
      </p>
      <p class="aside"><a href="${account}">Your account page says what became of it</a></p>`,
  );

export function linkEndedPage({ account }: { readonly account: string }): string {
  return pageLayout(
    'The link is ended',
    html`<h1>The link is ended</h1>
      <p>It works no more, and your password stays as it was. Your account page keeps a record of it.</p>
      <p class="aside"><a href="${account}">Your account</a></p>`,
  );
}
