import { isHandle } from '../../../domain/account/account.js';
import type { Factors } from '../../../domain/account/factors.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { Passwords } from '../passwords.js';
import { Fault } from '../rules/faults.js';

interface Row {
  readonly actor_id: string;
  readonly state: 'active' | 'suspended';
  readonly password_hash: string | null;
  readonly factors: Factors | null;
}

/** `isNew`: the request has made it. `passkeyId`: the passkey that proved it; absent: the password did. */
export interface VerifiedAccount {
  readonly actorId: string;
  readonly passwordHash: string;
  readonly isNew?: boolean;
  readonly passkeyId?: string;
}

/** `needsSecondStep`: the password alone signs nobody in. */
export interface SignInResult extends VerifiedAccount {
  readonly mayAct: boolean;
  readonly needsSecondStep?: boolean;
}

/** @throws {Fault} `social_authority_required`: the account is suspended. */
export function requireActive({ mayAct }: SignInResult): void {
  if (!mayAct)
    throw new Fault(
      403,
      'social_authority_required',
      'This account is suspended. Sign in at the account page of this network to read why.',
    );
}

/** Authentication methods of a sign-in (RFC 8176). */
export const amrOf = ({ passkeyId }: VerifiedAccount): string[] => [passkeyId === undefined ? 'pwd' : 'pop'];

/**
 * Checks handle and password. Returns undefined, in the same time, for an unknown account and for a wrong password, so
 * that neither is revealed.
 */
export async function verifyHandleAndPassword(
  store: AuthorityStore,
  passwords: Passwords,
  typedHandle: string,
  password: string,
): Promise<SignInResult | undefined> {
  const handle = normalizeHandle(typedHandle);
  const row = isHandle(handle) ? await credentialOf(store, handle) : undefined;
  const passwordHash = row?.password_hash ?? undefined;
  const isRight = await passwords.verify(passwordHash, password);
  if (!row || passwordHash === undefined || !isRight) return undefined;
  const needsSecondStep = row.factors?.codes !== undefined;
  return { actorId: row.actor_id, passwordHash, mayAct: row.state === 'active', needsSecondStep };
}

export function normalizeHandle(typed: string): string {
  return typed.trim().replace(/^@/, '').toLowerCase();
}

async function credentialOf(store: AuthorityStore, handle: string): Promise<Row | undefined> {
  const [row] = await store.db.query<Row[]>(
    `SELECT actor_id, state, password_hash, factors FROM authority.account LEFT JOIN authority.credential USING (actor_id)
     WHERE handle = $1 AND state <> 'erased'`,
    [handle],
  );
  return row;
}

export const WRONG_PASSWORD = 'Wrong handle or password.';
