import { staleLifecycle } from '../lifecycle.js';
import type { ExpectedLifecycle, RestrictionSource } from '../lifecycle.js';
import { normalizedName } from '../name.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type {
  AccountErased,
  AccountErasureCancelled,
  AccountErasureRequested,
  AccountPasswordChanged,
  AccountRegistered,
  AccountReinstated,
  AccountSignedOut,
  AccountSuspended,
  HandleClaimed,
  HandleReleased,
} from './events.js';

export type AccountEvent =
  | AccountRegistered
  | AccountSuspended
  | AccountReinstated
  | AccountErasureRequested
  | AccountErasureCancelled
  | AccountErased
  | AccountPasswordChanged
  | AccountSignedOut;

/**
 * `lifecycle`: the lifecycle revision. `erasesAt`: planned erasure, Unix ms. A restored log may lack the registration
 * and still hold the suspension: `isSuspended` applies as soon as the registration exists again.
 */
export type Account =
  | { readonly status: 'none'; readonly lifecycle: number; readonly isSuspended?: boolean }
  | { readonly status: 'erased'; readonly lifecycle: number }
  | {
      readonly status: 'active' | 'suspended';
      readonly lifecycle: number;
      readonly handle: string;
      readonly displayName: string;
      readonly email: string;
      readonly erasesAt?: number | undefined;
    };

export const noAccount: Account = { status: 'none', lifecycle: 0 };

export function evolveAccount(account: Account, event: AccountEvent): Account {
  if (event.type === 'account.registered') {
    if (account.status === 'erased') return account;
    const { handle, displayName, email } = event.data;
    const status = account.status === 'none' && account.isSuspended === true ? 'suspended' : 'active';
    return { status, lifecycle: account.lifecycle + 1, handle, displayName, email };
  }
  // A restored log may lack every event before the erasure.
  if (event.type === 'account.erased') return { status: 'erased', lifecycle: account.lifecycle + 1 };
  if (account.status === 'none') return evolveUnknown(account, event);
  if (account.status === 'erased') return account;
  switch (event.type) {
    case 'account.erasure_requested':
      return { ...account, erasesAt: event.data.erasesAt };
    case 'account.erasure_cancelled':
      return { ...account, erasesAt: undefined };
    case 'account.suspended':
      return { ...account, status: 'suspended', lifecycle: account.lifecycle + 1 };
    case 'account.reinstated':
      return { ...account, status: 'active', lifecycle: account.lifecycle + 1 };
    case 'account.password_changed':
    case 'account.signed_out':
      return account;
  }
}

function evolveUnknown(account: Unknown, { type }: AccountEvent): Account {
  if (type !== 'account.suspended' && type !== 'account.reinstated') return account;
  return { ...account, lifecycle: account.lifecycle + 1, isSuspended: type === 'account.suspended' };
}

type Unknown = Extract<Account, { readonly status: 'none' }>;

type Present = Extract<Account, { readonly handle: string }>;

const isPresent = (account: Account): account is Present =>
  account.status === 'active' || account.status === 'suspended';

export type Handle =
  | { readonly status: 'free' }
  | { readonly status: 'held'; readonly actorId: string; readonly profileRevision: number };

export const freeHandle: Handle = { status: 'free' };

export type HandleEvent = HandleClaimed | HandleReleased;

/** Depends on the newest event alone. `profileRevision`: the revision of the profile that the claim is for. */
export function evolveHandle(_handle: Handle, { type, data }: HandleEvent): Handle {
  if (type === 'handle.released') return freeHandle;
  const { actorId, profileRevision = 1 } = data;
  return { status: 'held', actorId, profileRevision };
}

export function claimHandle(
  handle: Handle,
  {
    actorId,
    at,
    isReserved,
  }: { readonly actorId: string; readonly at: number; readonly isReserved: boolean },
): Decision<HandleClaimed> {
  if (handle.status === 'free' && !isReserved) return [{ type: 'handle.claimed', data: { actorId, at } }];
  if (handle.status === 'held' && handle.actorId === actorId) return [];
  return new Refusal('intent_conflict', 'The handle is taken; choose another.');
}

export interface RegistrationDetails {
  readonly actorId: string;
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly at: number;
}

/**
 * Repeating a registration changes nothing. If a restored log has a suspension of the account already, another one
 * follows the registration, because readers of the log ignore events of unregistered accounts.
 */
export function registerAccount(
  account: Account,
  registration: RegistrationDetails,
): Decision<AccountRegistered | AccountSuspended> {
  const { actorId, handle, email, at } = registration;
  const [fault] = Object.values(registrationFaults(registration));
  if (fault !== undefined) return new Refusal('invalid_text', fault);
  const displayName = normalizedDisplayName(registration.displayName);
  if (displayName instanceof Refusal) return displayName;
  if (account.status === 'none') {
    const data = { actorId, handle, displayName, email, at };
    const registered: AccountRegistered = { type: 'account.registered', data };
    return account.isSuspended === true
      ? [registered, { type: 'account.suspended', data: { actorId, at } }]
      : [registered];
  }
  if (account.status === 'erased')
    return new Refusal('intent_conflict', 'The account of this registration was erased for good.');
  const same = account.handle === handle && account.displayName === displayName && account.email === email;
  return same
    ? []
    : new Refusal(
        'intent_conflict',
        'This registration was already made with another handle, display name or email: repeat it with the same ones, or make another one.',
      );
}

export interface AccountChange {
  readonly actorId: string;
  readonly at: number;
}

export function suspendAccount(
  account: Account,
  { actorId, at, addsGround = false, ...expected }: AccountChange & ExpectedLifecycle & RestrictionSource,
): Decision<AccountSuspended> {
  if (!isPresent(account)) return unknownAccount();
  const stale = staleLifecycle(account, expected);
  if (stale) return stale;
  if (account.status === 'suspended' && !addsGround) return [];
  return [{ type: 'account.suspended', data: { actorId, at } }];
}

export function reinstateAccount(
  account: Account,
  { actorId, at, ...expected }: AccountChange & ExpectedLifecycle,
): Decision<AccountReinstated> {
  if (!isPresent(account)) return unknownAccount();
  const stale = staleLifecycle(account, expected);
  if (stale) return stale;
  return account.status === 'active' ? [] : [{ type: 'account.reinstated', data: { actorId, at } }];
}

/** An erasure already planned keeps its time; a new time needs a cancellation first. `erasesAt`: Unix ms. */
export function requestErasure(
  account: Account,
  { actorId, at, erasesAt, ...expected }: AccountChange & ExpectedLifecycle & { readonly erasesAt: number },
): Decision<AccountErasureRequested> {
  if (!isPresent(account)) return unknownAccount();
  const stale = staleLifecycle(account, expected);
  if (stale) return stale;
  if (account.erasesAt !== undefined) return [];
  return [{ type: 'account.erasure_requested', data: { actorId, erasesAt, at } }];
}

export function cancelErasure(
  account: Account,
  { actorId, at }: AccountChange,
): Decision<AccountErasureCancelled> {
  if (!isPresent(account)) return unknownAccount();
  return account.erasesAt === undefined ? [] : [{ type: 'account.erasure_cancelled', data: { actorId, at } }];
}

export interface ErasureDetails extends AccountChange {
  /** Names the stream of the handle, to release it. `keyId`: of the key to destroy. Undefined: unknown. */
  readonly handleDigest?: string | undefined;
  readonly keyId?: string | undefined;
}

export function eraseAccount(
  account: Account,
  { actorId, handleDigest, keyId, at, lifecycle }: ErasureDetails & ExpectedLifecycle,
): Decision<AccountErased> {
  if (account.status === 'none') return unknownAccount();
  if (account.status === 'erased') return [];
  const stale = staleLifecycle(account, { lifecycle });
  if (stale) return stale;
  const identifiers = {
    ...(handleDigest !== undefined && { handleDigest }),
    ...(keyId !== undefined && { keyId }),
  };
  return [{ type: 'account.erased', data: { actorId, ...identifiers, at } }];
}

export function eraseWhenDue(account: Account, erasure: ErasureDetails): Decision<AccountErased> {
  const isDue = isPresent(account) && account.erasesAt !== undefined && account.erasesAt <= erasure.at;
  return isDue || account.status === 'erased' ? eraseAccount(account, erasure) : [];
}

export function releaseHandleOfErased(
  handle: Handle,
  { actorId, at }: AccountChange,
): Decision<HandleReleased> {
  if (handle.status === 'free' || handle.actorId !== actorId) return [];
  return [{ type: 'handle.released', data: { actorId, at } }];
}

/** Returns an event each time: two password hashes do not show whether the passwords differ. */
export function changePassword(
  account: Account,
  { actorId, at }: AccountChange,
): Decision<AccountPasswordChanged> {
  if (!isPresent(account)) return unknownAccount();
  return [{ type: 'account.password_changed', data: { actorId, at } }];
}

export function signOutEverywhere(
  account: Account,
  { actorId, at, sessions }: AccountChange & { readonly sessions: number },
): Decision<AccountSignedOut> {
  if (!isPresent(account)) return unknownAccount();
  return sessions === 0 ? [] : [{ type: 'account.signed_out', data: { actorId, at } }];
}

function unknownAccount(): Refusal {
  return new Refusal('not_found', 'There is no such account.');
}

const handlePattern = /^[a-z0-9_]{3,30}$/;

export function isHandle(text: string): boolean {
  return handlePattern.test(text);
}

const EMAIL_MAX = 254;
const emailPattern = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u;

export const handleFault = (handle: string): string | undefined =>
  isHandle(handle) ? undefined : 'A handle has 3 to 30 lowercase letters, digits or underscores.';

export function displayNameFault(displayName: string): string | undefined {
  const name = normalizedDisplayName(displayName);
  return name instanceof Refusal ? name.message : undefined;
}

const emailFault = (email: string): string | undefined =>
  email.length <= EMAIL_MAX && emailPattern.test(email) ? undefined : 'That is not an e-mail address.';

export function registrationFaults(
  registration: Readonly<Record<'handle' | 'displayName' | 'email', string>>,
): Partial<Record<'handle' | 'displayName' | 'email', string>> {
  const handle = handleFault(registration.handle);
  const displayName = displayNameFault(registration.displayName);
  const email = emailFault(registration.email);
  return {
    ...(handle !== undefined && { handle }),
    ...(displayName !== undefined && { displayName }),
    ...(email !== undefined && { email }),
  };
}

export const normalizedDisplayName = (typed: string): string | Refusal =>
  normalizedName(typed, 'A display name', { joiners: true });
