import { hiddenField, html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { passkeys as script } from '../../../base/pages/passkey-script.js';
import { passkeyForm, problemBox, textField } from './parts.js';
import type { PasskeyOptions } from './parts.js';

export interface SecondStepPage {
  readonly action: string;
  readonly back: string;
  readonly form: string;
  readonly handle: string;
  readonly options: PasskeyOptions;
  readonly problem: string | undefined;
}

export function secondStepPage({ action, back, form, handle, options, problem }: SecondStepPage): string {
  return pageLayout(
    'Second step',
    html`<h1>Second step for @${handle}</h1>
      <p class="quiet">The password is right. A passkey or one of your recovery codes is asked, too.</p>
      ${options && html`<noscript><p class="problem">To use a passkey, your browser needs JavaScript.</p></noscript>`}
      ${problemBox(problem)} ${passkeyForm({ action, form, options, label: 'Use a passkey' })}
      <form method="post" action="${action}">
        ${hiddenField('form', form)}
        <div class="fields">
          ${textField({
            name: 'code',
            label: 'Recovery code',
            autocomplete: 'off',
            hint: 'It works once. Each has 16 characters.',
          })}
          <button type="submit">Sign in with the code</button>
        </div>
      </form>
      <p class="aside"><a href="${back}">Start again</a></p>`,
    { script: options && script },
  );
}
