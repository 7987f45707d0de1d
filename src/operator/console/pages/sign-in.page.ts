import { html } from '../../../pages/html.js';
import { passkeyAsset } from '../assets.js';
import { consolePage } from '../layout.js';
import type { Frame } from '../layout.js';
import { hiddenField, passkeyForm, textField } from '../parts.js';

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
  return consolePage('Sign in', content, frame, [passkeyAsset.path]);
}

export function enrollmentPage(
  frame: Frame,
  invited: { name: string; code: string; options: unknown },
): string {
  const content = html`<div class="card">
    <h1>Welcome, <bdi>${invited.name}</bdi></h1>
    <p>
      You are invited to operate this network. A passkey signs you in: your device keeps it, and asks for your
      finger, face or PIN.
    </p>
    ${passkeyForm({
      action: '/console/enrollments',
      step: 'create',
      options: invited.options,
      proof: frame.proof,
      button: 'Create a passkey',
      fields: html`${hiddenField('invitationCode', invited.code)} ${passkeyName('My first passkey')}`,
    })}
  </div>`;
  return consolePage('Accept the invitation', content, frame, [passkeyAsset.path]);
}

export const passkeyName = (value?: string) =>
  textField({
    id: 'passkey-name',
    name: 'label',
    label: 'Name of the passkey',
    value,
    hint: 'Such as the device that keeps it.',
  });
