import type { AuthorityStore, PreparedStatement } from './authority-store.js';

/**
 * Creating a browser session and ending all sessions of a person lock the same credential row: the later one waits and
 * sees the result of the earlier.
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
 * Blocks a change of password and the end of sessions until the transaction of the caller ends. Returns the current
 * hash.
 */
export async function lockCredentialShared(
  store: AuthorityStore,
  actorId: string,
): Promise<string | undefined> {
  const [row] = await store.rows<Row>(shareLock, [actorId]);
  return row?.password_hash;
}

/** Blocks sign-in until the transaction of the caller ends. Returns the current hash. */
export async function lockCredential(store: AuthorityStore, actorId: string): Promise<string | undefined> {
  const [row] = await store.rows<Row>(updateLock, [actorId]);
  return row?.password_hash;
}
