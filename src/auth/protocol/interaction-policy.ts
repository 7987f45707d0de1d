import { interactionPolicy } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AccountRow } from '../../store/authority/account.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';

/**
 * When a person has to be asked something, and what an application is told that wants nobody to be asked
 * (OpenID Connect Core 1.0, section 3.1.2.6): the library's rules, and two that it has not.
 */
export function prompts(store: AuthorityStore) {
  const policy = interactionPolicy.base();
  const checks = policy.get('login')?.checks;
  checks?.add(
    new interactionPolicy.Check(
      'account_ended',
      'the account that is signed in can no longer act',
      'interaction_required',
      ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
    ),
  );
  checks?.add(
    new interactionPolicy.Check(
      'login_hint',
      'another account is signed in than the one that is asked for',
      'account_selection_required',
      async (ctx) => (await isAnother(store, ctx)) && (asksSomebody(ctx) || (await isConnected(store, ctx))),
    ),
  );
  return policy;
}

/** Whether the request hints at another account than the one that is signed in, and nobody has chosen that one since. */
async function isAnother(store: AuthorityStore, { oidc }: KoaContextWithOIDC): Promise<boolean> {
  const hint = oidc.params?.['login_hint'];
  if (typeof hint !== 'string' || oidc.account === undefined || oidc.result?.login) return false;
  // Not by the claims: they do not have the handle of a person who shows none, and signs in with it all the same.
  const account = await store.db.findOneBy(AccountRow, { actorId: oidc.account.accountId });
  if (!account) return true;
  const { handle, email } = account;
  const meant = hint.trim().toLowerCase();
  return ![handle, `@${String(handle)}`, email].some((name) => String(name).toLowerCase() === meant);
}

const asksSomebody = ({ oidc }: KoaContextWithOIDC): boolean => !oidc.prompts.has('none');

/** Whether the person has allowed the application anything: others learn nobody's name by guessing at it. */
async function isConnected(store: AuthorityStore, { oidc }: KoaContextWithOIDC): Promise<boolean> {
  const rows = await store.db.query<unknown[]>(
    'SELECT FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2 AND revoked_at IS NULL LIMIT 1',
    [oidc.account?.accountId, oidc.client?.clientId],
  );
  return rows.length > 0;
}
