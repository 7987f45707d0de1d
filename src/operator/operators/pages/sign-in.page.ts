import { hiddenField, html } from '../../../base/pages/html.js';
import { passkeyAsset } from '../../console/assets.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { passkeyForm, textField } from '../../console/parts.js';

export function signInPage(frame: Frame, options: unknown, to: string): string {
  const content = html`<div class="card">
    <h1>Sign in to the console</h1>
    <p class="quiet">with the passkey that you made from your invitation</p>
    ${passkeyForm({
      action: '/console/sign-in',
      step: 'get',
      options,
      proof: frame.proof,
      button: 'Sign in with a passkey',
      fields: hiddenField('to', to),
    })}
    <p class="aside">
      No passkey yet? An administrator invites you. The first one is invited by
      <code>npx plaza operator invite --name YOU --role administrator</code> on the machine of the network.
    </p>
  </div>`;
  return consolePage('Sign in', content, frame, { scripts: [passkeyAsset.path] });
}

/** `isNew`: false for a further passkey of an enrolled operator. */
interface Invited {
  readonly name: string;
  readonly code: string;
  readonly options: unknown;
  readonly isNew: boolean;
}

export function enrollmentPage(frame: Frame, invited: Invited): string {
  const content = html`<div class="card">
    <h1>Welcome, <bdi>${invited.name}</bdi></h1>
    <p>
      ${invited.isNew ? 'You are invited to operate this network.' : 'This adds a passkey to those that you have.'}
      A passkey signs you in: your device keeps it, and asks for your finger, face or PIN.
    </p>
    ${passkeyForm({
      action: '/console/enrollments',
      step: 'create',
      options: invited.options,
      proof: frame.proof,
      button: 'Create a passkey',
      fields: html`${hiddenField('invitationCode', invited.code)}
      ${passkeyName(invited.isNew ? 'My first passkey' : undefined)}`,
    })}
  </div>`;
  return consolePage('Accept the invitation', content, frame, { scripts: [passkeyAsset.path] });
}

export const passkeyName = (value?: string) =>
  textField({
    id: 'passkey-name',
    name: 'label',
    label: 'Name of the passkey',
    value,
    hint: 'Such as the device that keeps it.',
  });
