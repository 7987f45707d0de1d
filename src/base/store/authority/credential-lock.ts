import type { AuthorityStore, PreparedStatement } from './authority-store.js';

/**
 * Sign-in and the end of all sessions of a person lock the same credential row. So the later one waits for the
 * transaction of the earlier one, and sees its result.
 */

const shareLock: PreparedStatement = {
  name: 'auth-credential-hold',
  text: 'SELECT password_hash FROM authority.credential WHERE actor_id = $1 FOR SHARE',
};

const updateLock: PreparedStatement = {
  name: 'auth-credential-close',
  text: 'SELECT password_hash FROM authority.credential WHERE actor_id = $1 FOR UPDATE',
};

interface Row {
  readonly password_hash: string;
}

/**
 * Locks the credential of a person for reading: until the transaction of the caller ends, a change of the password
 * and the end of all sessions wait. Returns the hash of the password; undefined: the person has none.
 */
export async function lockCredentialShared(
  store: AuthorityStore,
  actorId: string,
): Promise<string | undefined> {
  const [row] = await store.rows<Row>(shareLock, [actorId]);
  return row?.password_hash;
}

/**
 * Locks the credential of a person for a change: until the transaction of the caller ends, sign-ins of the person
 * wait. Returns the hash of the password; undefined: the person has none.
 */
export async function lockCredential(store: AuthorityStore, actorId: string): Promise<string | undefined> {
  const [row] = await store.rows<Row>(updateLock, [actorId]);
  return row?.password_hash;
}
