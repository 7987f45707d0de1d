import { interactionPolicy } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';

/**
 * The rules of the library for asking a person to sign in or consent, with two additional checks: the account that is
 * signed in can no longer act, or is not the one in `login_hint`. Each has an error for `prompt=none` (OpenID Connect
 * Core 1.0, section 3.1.2.6).
 */
export function promptPolicy(store: AuthorityStore) {
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
      'the signed-in account is not the requested one',
      'account_selection_required',
      async (ctx) => (await isAnother(store, ctx)) && (mayPrompt(ctx) || (await isConnected(store, ctx))),
    ),
  );
  return policy;
}

async function isAnother(store: AuthorityStore, { oidc }: KoaContextWithOIDC): Promise<boolean> {
  const hint = oidc.params?.['login_hint'];
  if (typeof hint !== 'string' || oidc.account === undefined || oidc.result?.login) return false;
  // The claims would lack a hidden handle, which still signs in.
  const account = await store.db.findOneBy(AccountRow, { actorId: oidc.account.accountId });
  if (!account) return true;
  const { handle, email } = account;
  const hinted = hint.trim().toLowerCase();
  return ![handle, `@${String(handle)}`, email].some((name) => String(name).toLowerCase() === hinted);
}

const mayPrompt = ({ oidc }: KoaContextWithOIDC): boolean => !oidc.prompts.has('none');

/**
 * True if the person has a grant for the application. To any other application, `prompt=none` must not tell if a
 * `login_hint` is right: it could guess names.
 */
async function isConnected(store: AuthorityStore, { oidc }: KoaContextWithOIDC): Promise<boolean> {
  const rows = await store.db.query<unknown[]>(
    'SELECT FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2 AND revoked_at IS NULL LIMIT 1',
    [oidc.account?.accountId, oidc.client?.clientId],
  );
  return rows.length > 0;
}
