import { PASSWORD_MIN_CODE_POINTS } from '../passwords.js';
import { hiddenField, html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { operators } from '../../../base/pages/operators.js';
import { problemBox, textField } from './parts.js';

export type SignUpField = 'handle' | 'displayName' | 'email' | 'password';

export interface SignUpPage {
  readonly action: string;
  readonly form: string;
  readonly signIn: string;
  readonly applicationName: string | undefined;
  readonly typed: Readonly<Partial<Record<SignUpField, string>>>;
  readonly faults: Readonly<Partial<Record<SignUpField, string>>>;
  readonly problem?: string | undefined;
  /** The way to reach the operators. */
  readonly contact: string | undefined;
}

export function signUpPage(page: SignUpPage): string {
  const { action, form, signIn, applicationName, typed, faults, problem, contact } = page;
  const faulty = Object.keys(faults)[0] ?? 'handle';
  const field = (name: SignUpField) => ({
    name,
    value: typed[name] ?? '',
    fault: faults[name],
    first: name === faulty,
  });
  return pageLayout(
    'Create an account',
    html`<h1>Create your account</h1>
      ${
        applicationName === undefined
          ? html`<p class="quiet">One account, whichever application you use it with</p>`
          : html`<p class="quiet">
              and then go on to <strong><bdi>${applicationName}</bdi></strong>
            </p>`
      }
      ${problemBox(problem)}
      <form method="post" action="${action}">
        ${hiddenField('form', form)}
        <div class="fields">
          ${textField({
            ...field('handle'),
            label: 'Handle',
            autocomplete: 'username',
            hint: '3 to 30 lowercase letters, digits or underscores. Others find you by it.',
          })}
          ${textField({ ...field('displayName'), label: 'Display name', autocomplete: 'name', capitals: true })}
          ${textField({ ...field('email'), label: 'E-mail address', type: 'email', autocomplete: 'email' })}
          ${textField({
            ...field('password'),
            value: undefined,
            label: 'Password',
            type: 'password',
            autocomplete: 'new-password',
            hint: `At least ${PASSWORD_MIN_CODE_POINTS} characters. Longer is better, and a few words will do.`,
          })}
          <button class="main" type="submit">Create account</button>
        </div>
      </form>
      <p class="aside">Have an account? <a href="${signIn}">Sign in</a></p>`,
    { foot: html`<p>Questions? Ask ${operators(contact)}.</p>` },
  );
}
