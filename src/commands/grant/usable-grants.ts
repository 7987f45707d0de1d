import { grantLifetimeOf } from '../../domain/grant/lifetimes.js';

/**
 * SQL condition on `authority.app_grant`: grants that are not revoked and can still give authority ({@link grantLifetimeOf}).
 * `now`: the parameter with the time, Unix ms. A range of `issued_at` fits the indexes, which begin with the owner.
 */
export const isGrantUsable = (now: string) => `
  revoked_at IS NULL AND issued_at > ${now}::bigint - ${grantLifetimeOf(['offline_access'])}
  AND (issued_at > ${now}::bigint - ${grantLifetimeOf([])} OR 'offline_access' = ANY (app_grant.scopes))`;
