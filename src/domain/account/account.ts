import { staleLifecycle } from '../lifecycle.js';
import type { Seen } from '../lifecycle.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type {
  AccountPasswordChanged,
  AccountRegistered,
  AccountReinstated,
  AccountSignedOut,
  AccountSuspended,
  HandleClaimed,
  HandleReleased,
} from './events.js';

export type AccountEvent =
  AccountRegistered | AccountSuspended | AccountReinstated | AccountPasswordChanged | AccountSignedOut;

/** `lifecycle`: how many turns its life has taken (see {@link Seen}). */
export type Account =
  | { readonly status: 'none'; readonly lifecycle: 0 }
  | {
      readonly status: 'active' | 'suspended';
      readonly lifecycle: number;
      readonly handle: string;
      readonly displayName: string;
      readonly email: string;
    };

export const noAccount: Account = { status: 'none', lifecycle: 0 };

export function evolveAccount(account: Account, event: AccountEvent): Account {
  if (event.type === 'account.registered') {
    const { handle, displayName, email } = event.data;
    return { status: 'active', lifecycle: 1, handle, displayName, email };
  }
  if (account.status === 'none') return account;
  switch (event.type) {
    case 'account.suspended':
      return { ...account, status: 'suspended', lifecycle: account.lifecycle + 1 };
    case 'account.reinstated':
      return { ...account, status: 'active', lifecycle: account.lifecycle + 1 };
    case 'account.password_changed':
    case 'account.signed_out':
      return account;
  }
}

/** A handle, as its own stream tells it. `profileRevision`: of the holder's profile that it was claimed for. */
export type Handle =
  | { readonly status: 'free' }
  | { readonly status: 'held'; readonly actorId: string; readonly profileRevision: number };

export const freeHandle: Handle = { status: 'free' };

export type HandleEvent = HandleClaimed | HandleReleased;

/** Each event says by itself who holds it from then on. */
export function evolveHandle(_handle: Handle, { type, data }: HandleEvent): Handle {
  if (type === 'handle.released') return freeHandle;
  const { actorId, profileRevision = 1 } = data;
  return { status: 'held', actorId, profileRevision };
}

/** Whoever claims first holds it; the holder may claim it again, which is how a retry goes on. */
export function claimHandle(
  handle: Handle,
  { actorId, at }: { readonly actorId: string; readonly at: number },
): Decision<HandleClaimed> {
  if (handle.status === 'free') return [{ type: 'handle.claimed', data: { actorId, at } }];
  if (handle.actorId === actorId) return [];
  return new Refusal('intent_conflict', 'The handle is taken; choose another.');
}

export interface Registration {
  readonly actorId: string;
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly at: number;
}

/** Repeating the same registration changes nothing. */
export function registerAccount(account: Account, registration: Registration): Decision<AccountRegistered> {
  const { actorId, handle, email, at } = registration;
  const displayName = shownText(registration.displayName);
  const [fault] = Object.values(faultsIn(registration));
  if (fault !== undefined) return new Refusal('invalid_text', fault);
  if (account.status === 'none')
    return [{ type: 'account.registered', data: { actorId, handle, displayName, email, at } }];
  const same = account.handle === handle && account.displayName === displayName && account.email === email;
  return same ? [] : new Refusal('intent_conflict', 'This registration was already made with other data.');
}

/** Whose account it is, and when (Unix ms). */
export interface OfAccount {
  readonly actorId: string;
  readonly at: number;
}

export function suspendAccount(
  account: Account,
  { actorId, at, ...seen }: OfAccount & Seen,
): Decision<AccountSuspended> {
  if (account.status === 'none') return unknownAccount();
  const stale = staleLifecycle(account, seen);
  if (stale) return stale;
  return account.status === 'suspended' ? [] : [{ type: 'account.suspended', data: { actorId, at } }];
}

export function reinstateAccount(
  account: Account,
  { actorId, at, ...seen }: OfAccount & Seen,
): Decision<AccountReinstated> {
  if (account.status === 'none') return unknownAccount();
  const stale = staleLifecycle(account, seen);
  if (stale) return stale;
  return account.status === 'active' ? [] : [{ type: 'account.reinstated', data: { actorId, at } }];
}

/** Each change is a new fact, since nobody can tell whether the password is another. */
export function changePassword(
  account: Account,
  { actorId, at }: OfAccount,
): Decision<AccountPasswordChanged> {
  if (account.status === 'none') return unknownAccount();
  return [{ type: 'account.password_changed', data: { actorId, at } }];
}

/** `sessions`: how many were ended. Without any, nobody was signed out. */
export function signOutEverywhere(
  account: Account,
  { actorId, at, sessions }: OfAccount & { readonly sessions: number },
): Decision<AccountSignedOut> {
  if (account.status === 'none') return unknownAccount();
  return sessions === 0 ? [] : [{ type: 'account.signed_out', data: { actorId, at } }];
}

function unknownAccount(): Refusal {
  return new Refusal('not_found', 'There is no such account.');
}

const handlePattern = /^[a-z0-9_]{3,30}$/;

/** Whether anybody can have this handle. */
export function isHandle(text: string): boolean {
  return handlePattern.test(text);
}

/** Invisible characters could turn the text around a name, or make two names look like one: emoji need the joiners. */
const displayNamePattern = /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u200C|\u200D){1,64}$/u;
const EMAIL_MAX = 254;
/** Something, one @, a host: whether it is anybody's can only be found out by writing to it. */
const emailPattern = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u;

/** What is wrong with a handle or a display name, in words, wherever one is chosen; undefined: nothing. */
export const handleFault = (handle: string): string | undefined =>
  isHandle(handle) ? undefined : 'A handle has 3 to 30 characters out of a-z, 0-9 and _.';

export const displayNameFault = (displayName: string): string | undefined =>
  displayNamePattern.test(shownText(displayName))
    ? undefined
    : 'A display name is one line of 1 to 64 visible characters.';

const emailFault = (email: string): string | undefined =>
  email.length <= EMAIL_MAX && emailPattern.test(email) ? undefined : 'That is not an e-mail address.';

/** What is wrong with each part of a registration, in words; empty: nothing. */
export function faultsIn(
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

/** What a person writes about themselves, as it is kept: NFC, trimmed. */
export function shownText(text: string): string {
  return text.normalize('NFC').trim();
}
