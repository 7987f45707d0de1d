import { roles } from '../../../domain/operator/roles.js';
import type { Role } from '../../../domain/operator/roles.js';
import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { ListedOperator } from '../../desk/operators.js';
import { consolePage } from '../../console/layout.js';
import { named } from '../../console/names.js';
import type { Frame } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { actForm, facts, state, textField } from '../../console/parts.js';
import { passkeyItem, tokenItem } from './own.page.js';

export function operatorsPage(frame: Frame, listed: readonly ListedOperator[]): string {
  const { proof, session } = frame;
  const content = html`<section class="card" aria-labelledby="operators">
    <h1 id="operators">Operators</h1>
    ${
      mayDo(session, 'operator.invite')
        ? actForm({
            action: '/console/operators',
            button: 'Invite an operator',
            proof,
            id: 'invite',
            reason: 'optional',
            fields: html`${textField({
              id: 'invite-name',
              name: 'name',
              label: 'Name',
              hint: 'As other operators know the person.',
            })}
            ${roleChoice('invite', [])}`,
          })
        : undefined
    }
    ${
      mayDo(session, 'shared_token.limit')
        ? actForm({
            action: '/console/shared-token/limit',
            button: 'Limit the shared token for good',
            proof,
            id: 'limit',
            reason: 'optional',
          })
        : undefined
    }
    <ul class="listed">
      ${listed.map((each) => operatorItem(frame, each))}
    </ul>
  </section>`;
  return consolePage('Operators', content, frame);
}

function operatorItem(frame: Frame, operator: ListedOperator): Html {
  const { operatorId: id, name, invitationExpiresAt } = operator;
  const isManager = mayDo(frame.session, 'operator.suspend');
  const credential = (what: string, of: string, act: string) =>
    isManager ? `/console/operators/${id}/${what}/${of}/${act}` : undefined;
  const count = operator.passkeys.length + operator.tokens.length;
  return html`<li>
    <h2><bdi>${name}</bdi> ${state(operator.state, operator.state !== 'active')}</h2>
    ${operator.needsConfirmation ? state('not confirmed', true) : undefined}
    ${
      operator.sameNameAs.length === 0
        ? undefined
        : html`<p class="problem">
            Another operator has the same name:
            ${operator.sameNameAs.map((other) => html`${named.operator(other)} `)} Suspend one of them, and
            invite them under another name.
          </p>`
    }
    ${facts([
      ['roles', operator.roles.join(', ')],
      ['id', html`<code>${id}</code>`],
      ['invited', timeElement(operator.invitedAt)],
      ...(invitationExpiresAt === null
        ? []
        : [['invitation valid until', timeElement(invitationExpiresAt)] as const]),
    ])}
    ${
      count === 0
        ? undefined
        : html`<details class="act">
            <summary>Passkeys and tokens (${String(count)})</summary>
            <ul class="listed">
              ${operator.passkeys.map((each) =>
                passkeyItem(each, credential('passkeys', each.passkeyId, 'remove'), frame.proof, 'required'),
              )}
              ${operator.tokens.map((each) =>
                tokenItem(each, credential('tokens', each.tokenId, 'revoke'), frame.proof, 'required'),
              )}
            </ul>
          </details>`
    }
    ${isManager ? managerForms(frame.proof, operator) : undefined}
  </li>`;
}

function managerForms(proof: string, { operatorId: id, roles: held, ...operator }: ListedOperator): Html {
  const one = `/console/operators/${id}`;
  const form = (act: string, button: string, reason: 'optional' | 'required', fields?: Html) =>
    actForm({
      action: `${one}/${act}`,
      button,
      proof,
      id: `${act}-${id}`,
      reason,
      ...(fields && { fields }),
    });
  return html`${operator.needsConfirmation ? form('confirm', 'Confirm', 'optional') : undefined}
  ${form('roles', 'Change roles', 'required', roleChoice(id, held))}
  ${
    operator.state === 'suspended'
      ? form('reinstate', 'Reinstate', 'required')
      : form('suspend', 'Suspend', 'required')
  }`;
}

const meanings: Readonly<Record<Role, string>> = {
  viewer: 'sees the health of the network, and no person',
  moderator: 'restricts posts, people and applications',
  auditor: 'reads everything, changes nothing',
  administrator: 'keeps the network and its operators',
};

function roleChoice(id: string, held: readonly Role[]): Html {
  return html`<fieldset>
    <legend>Roles</legend>
    ${roles.map(
      (role) =>
        html`<p class="choice">
          <input
            type="checkbox"
            name="roles"
            value="${role}"
            id="${id}-${role}"
            ${held.includes(role) ? html`checked` : undefined}
          />
          <label for="${id}-${role}">${role} <span class="quiet small">${meanings[role]}</span></label>
        </p>`,
    )}
  </fieldset>`;
}
