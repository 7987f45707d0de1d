import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ListedOperator } from '../../desk/operators.js';
import { passkeyAsset } from '../../console/assets.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { actForm, passkeyForm, textField } from '../../console/parts.js';
import { passkeyName } from './sign-in.page.js';

/** An operator's own passkeys, tokens and sessions. `options`: for another passkey. */
export function ownPage(frame: Frame, own: ListedOperator, options: unknown): string {
  const { proof, session } = frame;
  const content = html`<section class="card" aria-labelledby="passkeys">
      <h1 id="passkeys">Your passkeys</h1>
      <ul class="listed">
        ${own.passkeys.map((each) => passkeyItem(each, `/console/own/passkeys/${each.passkeyId}/remove`, proof))}
      </ul>
      <details class="act">
        <summary>Add a passkey</summary>
        ${passkeyForm({
          action: '/console/own/passkeys',
          step: 'create',
          options,
          proof,
          button: 'Create a passkey',
          fields: passkeyName(),
        })}
      </details>
    </section>
    <section class="card" aria-labelledby="tokens">
      <h2 id="tokens">Your personal tokens</h2>
      <p class="quiet">for the command line, in <code>OPERATOR_TOKEN</code></p>
      <ul class="listed">
        ${own.tokens.map((each) => tokenItem(each, `/console/own/tokens/${each.tokenId}/revoke`, proof))}
      </ul>
      ${actForm({
        action: '/console/own/tokens',
        button: 'Issue a token',
        proof,
        id: 'issue',
        reason: 'optional',
        fields: html`${textField({ id: 'token-name', name: 'label', label: 'Name of the token', value: 'command line' })}
        ${textField({ id: 'token-days', name: 'days', label: 'Valid for so many days', value: '90' })}`,
      })}
    </section>
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Your sessions</h2>
      <p>
        This one ends ${session && timeElement(session.expiresAt)}, or after an hour without use. If a device
        is lost, remove its passkey, too: that ends the sessions it began.
      </p>
      ${actForm({
        action: '/console/own/sign-out',
        button: 'Sign out everywhere',
        proof,
        id: 'everywhere',
        reason: 'optional',
      })}
    </section>`;
  return consolePage('Your access', content, frame, { scripts: [passkeyAsset.path] });
}

export function passkeyItem(
  { passkeyId, label, registeredAt, removedAt, lastUsedOn }: ListedOperator['passkeys'][number],
  action: string | undefined,
  proof: string,
  reason: 'optional' | 'required' = 'optional',
): Html {
  return html`<li>
    <strong><bdi>${label}</bdi></strong> <span class="quiet small">passkey</span>
    ${removedAt === null ? undefined : html`<span class="state bad">removed ${timeElement(removedAt)}</span>`}
    <p class="small quiet">
      Made ${timeElement(registeredAt)};
      ${lastUsedOn === null ? 'never used to sign in' : `last used on ${lastUsedOn}`}.
    </p>
    ${
      removedAt === null && action !== undefined
        ? actForm({ action, button: 'Remove', proof, id: `passkey-${passkeyId}`, reason })
        : undefined
    }
  </li>`;
}

export function tokenItem(
  { tokenId, label, issuedAt, expiresAt, revokedAt, lastUsedOn }: ListedOperator['tokens'][number],
  action: string | undefined,
  proof: string,
  reason: 'optional' | 'required' = 'optional',
): Html {
  return html`<li>
    <strong><bdi>${label}</bdi></strong> <span class="quiet small">token ${tokenId}</span>
    ${revokedAt === null ? undefined : html`<span class="state bad">revoked ${timeElement(revokedAt)}</span>`}
    <p class="small quiet">
      Issued ${timeElement(issuedAt)}, valid until ${timeElement(expiresAt)};
      ${lastUsedOn === null ? 'never used' : `last used on ${lastUsedOn}`}.
    </p>
    ${
      revokedAt === null && action !== undefined
        ? actForm({ action, button: 'Revoke', proof, id: `token-${tokenId}`, reason })
        : undefined
    }
  </li>`;
}
