import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { isGrantUsable } from './usable-grants.js';

/**
 * SQL condition on `authority.app_grant`: usable grants of the application `$1`, at the time `$2` (Unix ms), that have more
 * than these scopes.
 */
export const isExcess = (scopes: string): string =>
  `app_grant.app_id = $1 AND ${isGrantUsable('$2')} AND NOT app_grant.scopes <@ ${scopes}`;

const excessCount = {
  name: 'grants.excess',
  text: `SELECT count(*)::integer AS grants FROM authority.app_grant WHERE ${isExcess('$3::text[]')}`,
};

/** Returns the number of usable grants that have more than these scopes. */
export async function countExcessGrants(
  store: AuthorityStore,
  appId: string,
  scopes: readonly string[],
  now: number,
): Promise<number> {
  const [row] = await store.rows<{ grants: number }>(excessCount, [appId, now, scopes]);
  return row?.grants ?? 0;
}
