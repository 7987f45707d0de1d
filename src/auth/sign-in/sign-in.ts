import { isHandle } from '../../domain/account/account.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { Passwords } from '../passwords.js';

interface Row {
  readonly actor_id: string;
  readonly state: 'active' | 'suspended';
  readonly password_hash: string | null;
}

/** Who knows the account's password, and which it was when they were asked. */
export interface Proven {
  readonly actorId: string;
  /** PHC string that the password was checked against. */
  readonly passwordHash: string;
}

/** Whose handle and password were typed. */
export interface Recognized extends Proven {
  /** False: the account is suspended, which only who knows its password is told. */
  readonly mayAct: boolean;
}

/** Undefined, after as much work, if there is no such account or the password is another: nobody learns which. */
export async function signIn(
  store: AuthorityStore,
  passwords: Passwords,
  typedHandle: string,
  password: string,
): Promise<Recognized | undefined> {
  const handle = handleOf(typedHandle);
  const row = isHandle(handle) ? await credentialOf(store, handle) : undefined;
  const passwordHash = row?.password_hash ?? undefined;
  const right = await passwords.verify(passwordHash, password);
  if (!row || passwordHash === undefined || !right) return undefined;
  return { actorId: row.actor_id, passwordHash, mayAct: row.state === 'active' };
}

/** The handle that was meant, whether or not it is one. */
export function handleOf(typed: string): string {
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

/** Said of every sign-in that failed: nobody learns whether the account exists. */
export const WRONG_PASSWORD = 'That handle and password do not belong together.';
