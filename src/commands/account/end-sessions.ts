import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { lockCredential } from '../../base/store/authority/credential-lock.js';

/**
 * Ends every browser session and unfinished sign-in of a person, within the transaction of the caller, and makes every
 * browser an unknown one again. Returns the number of sessions and sign-ins. The rows stay for a while without content, so that a concurrent request cannot write back its stale copy.
 */
export async function endSessions(store: AuthorityStore, actorId: string): Promise<number> {
  await lockCredential(store, actorId);
  await store.db.query('DELETE FROM authority.known_browser WHERE actor_id = $1', [actorId]);
  const [, sessions] = await store.db.query<[unknown[], number]>(
    `${endSessionsSql} AND kind = 'Session' AND payload->>'accountId' = $1`,
    [actorId],
  );
  const [, interactions] = await store.db.query<[unknown[], number]>(
    `${endSessionsSql} AND kind = 'Interaction'
       AND (payload->'session'->>'accountId' = $1 OR payload->'result'->'login'->>'accountId' = $1)`,
    [actorId],
  );
  return sessions + interactions;
}

/**
 * SQL that ends sessions: `exp` 0 makes the OIDC library read a record as expired. The row stays for ten minutes at
 * most, longer than any request.
 */
export const endSessionsSql = `
  UPDATE authority.oidc_record SET payload = '{"exp": 0}', uid_hash = NULL, consumed_at = now(),
    expires_at = least(expires_at, now() + interval '10 minutes')
  WHERE consumed_at IS NULL`;
