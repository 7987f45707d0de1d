import { z } from 'zod';
import { isGrantUsable } from '../../commands/grant/usable-grants.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { listOf } from './schemas.js';

export const listedApplication = z.strictObject({
  clientId: z.string(),
  name: z.string(),
  state: z.enum(['active', 'suspended']),
  scopes: listOf(z.string()),
  redirectUris: listOf(z.string()),
  postLogoutRedirectUris: listOf(z.string()),
  /** Null: registered under a release that did not record the time; known again once a worker has applied the log anew. */
  registeredAt: z.number().nullable(),
  grants: z.number(),
});

export type ListedApplication = z.infer<typeof listedApplication>;

/** Selects every application with the number of its usable grants. `$1`: now, Unix milliseconds. */
export const listApplications = `
  SELECT json_build_object('clientId', app_id, 'name', name, 'state', state, 'scopes', scopes,
    'redirectUris', redirect_uris, 'postLogoutRedirectUris', post_logout_redirect_uris,
    'registeredAt', registered_at, 'grants', (
      SELECT count(*) FROM authority.app_grant
      WHERE app_grant.app_id = application.app_id AND ${isGrantUsable('$1')})) AS listed
  FROM authority.application ORDER BY registered_at NULLS FIRST, app_id`;

export async function applicationsOf(
  store: AuthorityStore,
  now: number,
): Promise<readonly ListedApplication[]> {
  const rows = await store.db.query<{ listed: ListedApplication }[]>(listApplications, [now]);
  return rows.map(({ listed }) => listed);
}

export async function applicationName(store: AuthorityStore, clientId: string): Promise<string | null> {
  const text = 'SELECT name FROM authority.application WHERE app_id = $1';
  const [row] = await store.rows<{ name: string }>({ name: 'application-name', text }, [clientId]);
  return row?.name ?? null;
}
