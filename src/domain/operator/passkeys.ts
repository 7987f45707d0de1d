import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { OperatorEnrolled, OperatorPasskeyRegistered, OperatorPasskeyRemoved } from './events.js';
import { normalizedName } from '../name.js';
import { acceptInvitation } from './operator.js';
import type { Operator, OperatorChange } from './operator.js';

export interface NewPasskey extends OperatorChange {
  readonly passkeyId: string;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly transports: readonly string[];
  readonly label: string;
}

export function enrollWithPasskey(
  operator: Operator,
  { invitationHash, ...passkey }: NewPasskey & { readonly invitationHash: string },
): Decision<OperatorEnrolled | OperatorPasskeyRegistered> {
  const enrolled = acceptInvitation(operator, { ...passkey, invitationHash });
  if (enrolled instanceof Refusal) return enrolled;
  const registered = passkeyRegistered(passkey);
  return registered instanceof Refusal ? registered : [enrolled, registered];
}

export function registerPasskey(
  operator: Operator,
  passkey: NewPasskey,
): Decision<OperatorPasskeyRegistered> {
  if (operator.status !== 'active')
    return new Refusal('not_found', 'Only an active operator can have a passkey.');
  const registered = passkeyRegistered(passkey);
  return registered instanceof Refusal ? registered : [registered];
}

export function removePasskey(
  operator: Operator,
  { operatorId, passkeyId, at }: OperatorChange & { readonly passkeyId: string },
): Decision<OperatorPasskeyRemoved> {
  if (!operator.passkeys.includes(passkeyId)) return new Refusal('not_found', 'There is no such passkey.');
  if (operator.removedPasskeys.includes(passkeyId)) return [];
  return [{ type: 'operator.passkey_removed', data: { operatorId, passkeyId, at } }];
}

function passkeyRegistered(passkey: NewPasskey): OperatorPasskeyRegistered | Refusal {
  const label = normalizedName(passkey.label, "The passkey's name");
  return label instanceof Refusal
    ? label
    : { type: 'operator.passkey_registered', data: { ...passkey, label } };
}
