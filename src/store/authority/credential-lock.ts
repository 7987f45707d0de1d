import type { AuthorityStore, Prepared } from './authority-store.js';

/**
 * Whoever keeps a browser session of a person, and whoever ends them all, meet at the row of the person's credential:
 * where the one is under way the other waits, and then sees what it did.
 */

const hold: Prepared = {
  name: 'auth-credential-hold',
  text: 'SELECT password_hash FROM authority.credential WHERE actor_id = $1 FOR SHARE',
};

const close: Prepared = {
  name: 'auth-credential-close',
  text: 'SELECT password_hash FROM authority.credential WHERE actor_id = $1 FOR UPDATE',
};

interface Row {
  readonly password_hash: string;
}

/** Until the caller's transaction ends nobody changes the password, or ends sessions. Answers the hash that is good. */
export async function holdCredential(store: AuthorityStore, actorId: string): Promise<string | undefined> {
  const [row] = await store.rows<Row>(hold, [actorId]);
  return row?.password_hash;
}

/** Until the caller's transaction ends nobody is signed in. Answers the hash that was good until now. */
export async function closeCredential(store: AuthorityStore, actorId: string): Promise<string | undefined> {
  const [row] = await store.rows<Row>(close, [actorId]);
  return row?.password_hash;
}
