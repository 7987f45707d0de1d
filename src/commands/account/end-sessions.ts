import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { closeCredential } from '../../store/authority/credential-lock.js';

/**
 * Ends every browser session of a person, and whatever they began to sign in to: answers how many. Within a transaction
 * of the caller's. The rows stay for a while as ended ones, without content, so that a request under way cannot put back
 * what it read before.
 */
export async function endSessions(store: AuthorityStore, actorId: string): Promise<number> {
  await closeCredential(store, actorId);
  const [, sessions] = await store.db.query<[unknown[], number]>(
    `${end} AND kind = 'Session' AND payload->>'accountId' = $1`,
    [actorId],
  );
  const [, interactions] = await store.db.query<[unknown[], number]>(
    `${end} AND kind = 'Interaction'
       AND (payload->'session'->>'accountId' = $1 OR payload->'result'->'login'->>'accountId' = $1)`,
    [actorId],
  );
  return sessions + interactions;
}

/** Of records that live. `exp`: to the library it has expired, however it is read. Kept for longer than any request takes. */
export const end = `
  UPDATE authority.oidc_record SET payload = '{"exp": 0}', uid_hash = NULL, consumed_at = now(),
    expires_at = least(expires_at, now() + interval '10 minutes')
  WHERE consumed_at IS NULL`;
