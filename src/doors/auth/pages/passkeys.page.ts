import type { Factors, Passkey } from '../../../domain/account/factors.js';
import { dayElement, hiddenField, html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { passkeys as script } from '../../../base/pages/passkey-script.js';
import { confirmation, passkeyButton, problemBox, textField } from './parts.js';
import type { PasskeyOptions } from './parts.js';

/** Each of its code points is one or two code units, which a browser counts. */
const NAME_MAX = 64;

export interface PasskeysSummary {
  readonly address: string;
  readonly factors: Factors;
}

export const passkeysCard = ({ address, factors }: PasskeysSummary): Html =>
  html`<section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys and second step</h2>
    <p class="quiet">
      ${
        factors.passkeys.length === 0
          ? 'You have no passkey. With one, your device signs you in by your finger, face or PIN.'
          : html`Passkeys:
            ${factors.passkeys.map(({ name }, at) => html`${at > 0 ? ', ' : ''}<bdi>${name}</bdi>`)}.`
      }
      ${factors.codes ? 'The second step is on.' : undefined}
    </p>
    <p><a href="${address}">${factors.passkeys.length === 0 ? 'Add a passkey' : 'Manage them'}</a></p>
  </section>`;

export interface PasskeysPage {
  readonly account: string;
  /** The page that asks for a proof of the person; `act` and `passkey` are added. */
  readonly change: string;
  readonly factors: Factors;
  readonly areUsable: boolean;
  readonly notice: string | undefined;
  readonly problem: string | undefined;
}

export function passkeysPage(page: PasskeysPage): string {
  const { account, change, factors, areUsable, notice, problem } = page;
  const { passkeys, codes } = factors;
  return pageLayout(
    'Passkeys',
    html`${notice && html`<p class="notice" role="status">${notice}</p>`} ${problemBox(problem)}
      <section class="card" aria-labelledby="passkeys">
        <h1 id="passkeys">Your passkeys</h1>
        <p class="quiet">
          A passkey signs you in instead of the password: your device keeps it, and asks for your finger, face
          or PIN. If a device is lost, remove its passkey.
        </p>
        ${
          passkeys.length === 0
            ? html`<p>None.</p>`
            : html`<ul class="applications">
                ${passkeys.map((each) => passkeyItem(each, change))}
              </ul>`
        }
        ${
          areUsable
            ? html`<p class="aside"><a href="${change}?act=add">Add a passkey</a></p>`
            : html`<p>This network has an IP address for a name, with which browsers make no passkeys.</p>`
        }
      </section>
      <section class="card" aria-labelledby="second-step">
        <h2 id="second-step">Second step</h2>
        <p class="quiet">
          With it, the password alone opens nothing: a passkey or a recovery code is asked, too. Once it has
          been on for seven days, also after a forgotten password. A passkey alone still signs you in.
        </p>
        ${secondStep(change, passkeys, codes)}
      </section>
      <p class="aside"><a href="${account}">Your account</a></p>`,
    { wide: true },
  );
}

function secondStep(change: string, passkeys: readonly Passkey[], codes: Factors['codes']): Html {
  if (codes)
    return html`<p>It is on. Unused recovery codes: ${String(codes.length)}.</p>
      <p><a href="${change}?act=require">Make new recovery codes</a></p>
      <p><a href="${change}?act=lift">Turn it off</a></p>`;
  if (passkeys.length === 0) return html`<p>It is off. It needs a passkey.</p>`;
  return html`<p>It is off.</p>
    <p><a href="${change}?act=require">Turn it on</a></p>`;
}

const passkeyItem = ({ id, name, addedAt, usedOn }: Passkey, change: string): Html =>
  html`<li class="between">
    <div>
      <strong><bdi>${name}</bdi></strong>
      <p class="small quiet">
        Added on ${dayElement(addedAt)};
        ${usedOn === undefined ? 'not used yet' : html`last used on ${dayElement(Date.parse(usedOn))}`}.
      </p>
    </div>
    <a href="${change}?act=remove&passkey=${id}">Remove<span class="unseen"> ${name}</span></a>
  </li>`;

const words = {
  add: {
    title: 'Add a passkey',
    text: 'First prove that it is you. Then your browser makes the passkey.',
    button: 'Go on',
  },
  remove: {
    title: 'Remove a passkey',
    text: 'It signs in no more. You stay signed in here, and are signed out in every other browser.',
    button: 'Remove it',
  },
  require: {
    title: 'Turn the second step on',
    text: 'You get ten recovery codes, each for one sign-in without a passkey. Earlier codes end. You stay signed in here, and are signed out in every other browser.',
    button: 'Turn it on and show the codes',
  },
  lift: {
    title: 'Turn the second step off',
    text: 'Then the password alone opens your account again, and the recovery codes end.',
    button: 'Turn it off',
  },
} as const;

export type PasskeyAct = keyof typeof words;
export const isPasskeyAct = (text: string): text is PasskeyAct => Object.hasOwn(words, text);

export interface ConfirmPage {
  readonly action: string;
  readonly back: string;
  readonly form: string;
  readonly act: PasskeyAct;
  /** The one to remove. */
  readonly passkey: Pick<Passkey, 'id' | 'name'> | undefined;
  readonly handle: string;
  readonly options: PasskeyOptions;
  readonly fault: string | undefined;
}

export function confirmPage(page: ConfirmPage): string {
  const { action, back, form, act, passkey, handle, options, fault } = page;
  const { title, text, button } = words[act];
  return pageLayout(
    title,
    html`<h1>${title}</h1>
      ${
        passkey &&
        html`<p>
          <strong><bdi>${passkey.name}</bdi></strong>
        </p>`
      }
      <p class="quiet">${text}</p>
      <form method="post" action="${action}">
        ${hiddenField('form', form)} ${hiddenField('act', act)}
        ${passkey && hiddenField('passkey', passkey.id)}
        ${confirmation({
          name: 'confirm',
          label: 'Your password',
          handle,
          fault,
          options,
          buttons: html`<button class="main" type="submit">${button}</button>`,
        })}
      </form>
      <p class="aside"><a href="${back}">Leave everything as it is</a></p>`,
    { script: options && script },
  );
}

export interface NewPasskeyPage {
  readonly action: string;
  readonly back: string;
  readonly form: string;
  readonly options: object;
}

export function newPasskeyPage({ action, back, form, options }: NewPasskeyPage): string {
  return pageLayout(
    'Make a passkey',
    html`<h1>Make a passkey</h1>
      <form method="post" action="${action}">
        ${hiddenField('form', form)}
        <div class="fields">
          ${textField({
            name: 'label',
            label: 'Name of the passkey',
            autocomplete: 'off',
            hint: 'Such as the device that keeps it.',
            maxLength: NAME_MAX,
            first: true,
          })}
          ${passkeyButton({ options, step: 'create', label: 'Make the passkey', isMain: true })}
        </div>
        <noscript><p class="problem">To make a passkey, your browser needs JavaScript.</p></noscript>
      </form>
      <p class="aside"><a href="${back}">Leave everything as it is</a></p>`,
    { script },
  );
}

/** Shows new recovery codes, once. */
export const codesPage = (codes: readonly string[], back: string): string =>
  pageLayout(
    'Your recovery codes',
    html`<h1>Your recovery codes</h1>
      <p>
        The second step is on. Each code signs you in once, after the password, if you have no passkey at
        hand. Keep them where you find them without this device: they are shown only now.
      </p>
      <ul class="links">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <p class="aside"><a href="${back}">I have kept them</a></p>`,
  );
