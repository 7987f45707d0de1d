import { usableFor } from '../../domain/grant/lifetimes.js';

/**
 * Condition on rows of `authority.app_grant`: grants that are not revoked and can still give authority, as
 * {@link usableFor} says. `now`: the parameter with the time, Unix ms. A range of `issued_at`, for the indexes that begin
 * with whose they are.
 */
export const isUsable = (now: string) => `
  revoked_at IS NULL AND issued_at > ${now}::bigint - ${usableFor(['offline_access'])}
  AND (issued_at > ${now}::bigint - ${usableFor([])} OR 'offline_access' = ANY (app_grant.scopes))`;
