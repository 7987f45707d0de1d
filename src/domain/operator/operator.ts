import { staleLifecycle } from '../lifecycle.js';
import type { ExpectedLifecycle, LifecycleState } from '../lifecycle.js';
import { normalizedName } from '../name.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type {
  OperatorConfirmed,
  OperatorEnrolled,
  OperatorInvited,
  OperatorPasskeyRegistered,
  OperatorPasskeyRemoved,
  OperatorReinstated,
  OperatorRolesChanged,
  OperatorSuspended,
  OperatorTokenIssued,
  OperatorTokenRevoked,
} from './events.js';
import { isOwnName } from './name.js';
import { addsPermission, canonicalRoles } from './roles.js';
import type { Role } from './roles.js';

export type OperatorEvent =
  | OperatorInvited
  | OperatorConfirmed
  | OperatorEnrolled
  | OperatorRolesChanged
  | OperatorSuspended
  | OperatorReinstated
  | OperatorTokenIssued
  | OperatorTokenRevoked
  | OperatorPasskeyRegistered
  | OperatorPasskeyRemoved;

/**
 * The fields are independent, because a restored log may lack the invitation and hold a suspension or a revocation,
 * which a recovery appended again: both then hold as soon as the operator exists.
 */
export interface Operator extends LifecycleState {
  readonly status: 'none' | 'invited' | 'active' | 'suspended';
  readonly isInvited: boolean;
  readonly isEnrolled: boolean;
  readonly isSuspended: boolean;
  readonly roles: readonly Role[];
  readonly invitation: { readonly hash: string; readonly expiresAt: number } | undefined;
  readonly tokens: readonly string[];
  readonly revokedTokens: readonly string[];
  readonly passkeys: readonly string[];
  readonly removedPasskeys: readonly string[];
}

export const noOperator: Operator = {
  status: 'none',
  lifecycle: 0,
  isInvited: false,
  isEnrolled: false,
  isSuspended: false,
  roles: [],
  invitation: undefined,
  tokens: [],
  revokedTokens: [],
  passkeys: [],
  removedPasskeys: [],
};

export function evolveOperator(operator: Operator, event: OperatorEvent): Operator {
  const changed = { ...operator, ...changesBy(operator, event) };
  return { ...changed, status: statusOf(changed) };
}

function changesBy(operator: Operator, event: OperatorEvent): Partial<Operator> {
  const lifecycle = operator.lifecycle + 1;
  switch (event.type) {
    case 'operator.invited': {
      const { roles, invitationHash: hash, expiresAt } = event.data;
      const invited = { isInvited: true, invitation: { hash, expiresAt }, lifecycle };
      // A role change that a recovery appended before is newer.
      return operator.lifecycle > 0 && operator.roles.length > 0 ? invited : { ...invited, roles };
    }
    case 'operator.confirmed':
      return {};
    case 'operator.enrolled':
      return { isEnrolled: true, invitation: undefined };
    case 'operator.roles_changed':
      return { roles: event.data.roles, lifecycle };
    case 'operator.suspended':
      return { isSuspended: true, lifecycle };
    case 'operator.reinstated':
      return { isSuspended: false, lifecycle };
    case 'operator.token_issued':
      return { tokens: [...operator.tokens, event.data.tokenId] };
    case 'operator.token_revoked':
      return { revokedTokens: [...operator.revokedTokens, event.data.tokenId] };
    case 'operator.passkey_registered':
      return { passkeys: [...operator.passkeys, event.data.passkeyId] };
    case 'operator.passkey_removed':
      return { removedPasskeys: [...operator.removedPasskeys, event.data.passkeyId] };
  }
}

function statusOf({ isInvited, isEnrolled, isSuspended }: Operator): Operator['status'] {
  if (!isInvited) return 'none';
  if (isSuspended) return 'suspended';
  return isEnrolled ? 'active' : 'invited';
}

export interface OperatorChange {
  readonly operatorId: string;
  readonly at: number;
}

export interface Invitation extends OperatorChange {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly invitationHash: string;
  readonly expiresAt: number;
  readonly needsConfirmation: boolean;
}

export function inviteOperator(operator: Operator, invitation: Invitation): Decision<OperatorInvited> {
  if (operator.status !== 'none') return new Refusal('intent_conflict', 'This operator was invited already.');
  const name = normalizedName(invitation.name, 'The name');
  if (name instanceof Refusal) return name;
  if (isOwnName(name))
    return new Refusal('invalid_text', 'The name stands for what is no operator; choose another.');
  const roles = canonicalRoles(invitation.roles);
  if (roles.length === 0) return noRole();
  return [{ type: 'operator.invited', data: { ...invitation, name, roles } }];
}

export function acceptInvitation(
  { status, invitation }: Operator,
  { operatorId, at, invitationHash }: OperatorChange & { readonly invitationHash: string },
): OperatorEnrolled | Refusal {
  if (status !== 'invited' || invitation?.hash !== invitationHash || invitation.expiresAt <= at)
    return noInvitation();
  return { type: 'operator.enrolled', data: { operatorId, at } };
}

export interface Enrollment extends NewToken {
  readonly invitationHash: string;
}

/** The first token comes with the enrollment: without a credential, nobody could act as the new operator. */
export function enrollOperator(
  operator: Operator,
  { invitationHash, ...token }: Enrollment,
): Decision<OperatorEnrolled | OperatorTokenIssued> {
  const enrolled = acceptInvitation(operator, { ...token, invitationHash });
  if (enrolled instanceof Refusal) return enrolled;
  const issued = tokenIssued(token);
  return issued instanceof Refusal ? issued : [enrolled, issued];
}

export function confirmOperator(
  operator: Operator,
  { operatorId, at, by, isLacking }: OperatorChange & { readonly by: string; readonly isLacking: boolean },
): Decision<OperatorConfirmed> {
  if (operator.status === 'none') return unknownOperator();
  if (!isLacking) return [];
  if (by === operatorId)
    return new Refusal('not_owner', 'Another administrator must confirm this invitation.');
  return [{ type: 'operator.confirmed', data: { operatorId, at } }];
}

/** `mayRaise` false: the operator may do no more afterwards than before. */
export interface Raising {
  readonly mayRaise?: boolean;
}

export function changeRoles(
  operator: Operator,
  {
    operatorId,
    at,
    roles: chosen,
    mayRaise = true,
    ...expected
  }: OperatorChange & ExpectedLifecycle & Raising & { readonly roles: readonly Role[] },
): Decision<OperatorRolesChanged> {
  if (operator.status === 'none') return unknownOperator();
  const stale = staleLifecycle(operator, expected);
  if (stale) return stale;
  const roles = canonicalRoles(chosen);
  if (roles.length === 0) return noRole();
  const isSame = roles.join() === canonicalRoles(operator.roles).join();
  if (!mayRaise && addsPermission(operator.roles, roles)) return needsApprovalNow();
  return isSame ? [] : [{ type: 'operator.roles_changed', data: { operatorId, roles, at } }];
}

/** Suspending an operator who is not enrolled ends the invitation. */
export function suspendOperator(
  operator: Operator,
  { operatorId, at, ...expected }: OperatorChange & ExpectedLifecycle,
): Decision<OperatorSuspended> {
  if (operator.status === 'none') return unknownOperator();
  const stale = staleLifecycle(operator, expected);
  if (stale) return stale;
  return operator.isSuspended ? [] : [{ type: 'operator.suspended', data: { operatorId, at } }];
}

export function reinstateOperator(
  operator: Operator,
  { operatorId, at, mayRaise = true, ...expected }: OperatorChange & ExpectedLifecycle & Raising,
): Decision<OperatorReinstated> {
  if (operator.status === 'none') return unknownOperator();
  const stale = staleLifecycle(operator, expected);
  if (stale) return stale;
  if (!operator.isSuspended) return [];
  return mayRaise ? [{ type: 'operator.reinstated', data: { operatorId, at } }] : needsApprovalNow();
}

const needsApprovalNow = (): Refusal =>
  new Refusal(
    'intent_conflict',
    'Another operator changed this one meanwhile. Repeat it: it needs an approval now.',
  );

export interface NewToken extends OperatorChange {
  readonly tokenId: string;
  readonly tokenHash: string;
  readonly label: string;
  readonly expiresAt: number;
}

export function issueToken(operator: Operator, token: NewToken): Decision<OperatorTokenIssued> {
  if (operator.status !== 'active')
    return new Refusal('not_found', 'Only an active operator can have a personal token.');
  const issued = tokenIssued(token);
  return issued instanceof Refusal ? issued : [issued];
}

export function revokeToken(
  operator: Operator,
  { operatorId, tokenId, at }: OperatorChange & { readonly tokenId: string },
): Decision<OperatorTokenRevoked> {
  if (!operator.tokens.includes(tokenId)) return unknownToken();
  if (operator.revokedTokens.includes(tokenId)) return [];
  return [{ type: 'operator.token_revoked', data: { operatorId, tokenId, at } }];
}

const unknownToken = (): Refusal => new Refusal('not_found', 'There is no such token.');

export const noInvitation = (): Refusal =>
  new Refusal('not_found', 'No such invitation is open: it was used, has expired or was ended.');

const unknownOperator = (): Refusal => new Refusal('not_found', 'There is no such operator.');

const noRole = (): Refusal => new Refusal('invalid_text', 'Name at least one role.');

function tokenIssued(token: NewToken): OperatorTokenIssued | Refusal {
  const label = normalizedName(token.label, "The token's name");
  return label instanceof Refusal ? label : { type: 'operator.token_issued', data: { ...token, label } };
}
