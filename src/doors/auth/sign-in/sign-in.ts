import { isHandle } from '../../../domain/account/account.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { Passwords } from '../passwords.js';

interface Row {
  readonly actor_id: string;
  readonly state: 'active' | 'suspended';
  readonly password_hash: string | null;
}

/** `isNew`: the request has made it. */
export interface VerifiedAccount {
  readonly actorId: string;
  readonly passwordHash: string;
  readonly isNew?: boolean;
}

export interface SignInResult extends VerifiedAccount {
  readonly mayAct: boolean;
}

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
  return { actorId: row.actor_id, passwordHash, mayAct: row.state === 'active' };
}

export function normalizeHandle(typed: string): string {
  return typed.trim().replace(/^@/, '').toLowerCase();
}

async function credentialOf(store: AuthorityStore, handle: string): Promise<Row | undefined> {
  const [row] = await store.db.query<Row[]>(
    `SELECT actor_id, state, password_hash FROM authority.account LEFT JOIN authority.credential USING (actor_id)
     WHERE handle = $1 AND state <> 'erased'`,
    [handle],
  );
  return row;
}

export const WRONG_PASSWORD = 'Wrong handle or password.';
