import { isHandle } from '../../domain/account/account.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { Passwords } from '../passwords.js';

interface Row {
  readonly actor_id: string;
  readonly password_hash: string | null;
}

/**
 * Whose handle and password these are. Undefined, after as much work, if there is no such active account or the
 * password is another: nobody learns which.
 */
export async function signIn(
  store: AuthorityStore,
  passwords: Passwords,
  typedHandle: string,
  password: string,
): Promise<{ readonly actorId: string } | undefined> {
  const handle = handleOf(typedHandle);
  const row = isHandle(handle) ? await credentialOf(store, handle) : undefined;
  const right = await passwords.verify(row?.password_hash ?? undefined, password);
  return row && right ? { actorId: row.actor_id } : undefined;
}

/** The handle that was meant, whether or not it is one. */
export function handleOf(typed: string): string {
  return typed.trim().replace(/^@/, '').toLowerCase();
}

async function credentialOf(store: AuthorityStore, handle: string): Promise<Row | undefined> {
  const [row] = await store.db.query<Row[]>(
    `SELECT actor_id, password_hash FROM authority.account LEFT JOIN authority.credential USING (actor_id)
     WHERE handle = $1 AND state = 'active'`,
    [handle],
  );
  return row;
}
