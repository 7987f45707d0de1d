import { grantLifetimeOf } from '../../domain/grant/lifetimes.js';

/**
 * SQL condition on `authority.app_grant`: grants that are not revoked and can still give authority ({@link
 * grantLifetimeOf}). `now`: the parameter with the time, Unix ms. The range of `issued_at` makes use of the indexes of
 * (owner, `issued_at`).
 */
export const isGrantUsable = (now: string) => `
  revoked_at IS NULL AND issued_at > ${now}::bigint - ${grantLifetimeOf(['offline_access'])}
  AND (issued_at > ${now}::bigint - ${grantLifetimeOf([])} OR 'offline_access' = ANY (app_grant.scopes))`;
