import type { Account } from 'oidc-provider';
import { AccountRow } from '../../store/authority/account.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';

/** Of the published identity claims (network-api.md, "Identity claims") those that can have a value here. */
export const identityClaims = [
  'sub',
  'name',
  'preferred_username',
  'website',
  'email',
  'email_verified',
  'updated_at',
];

/** What the scope `openid` releases about an account: the claims that it has a value for. */
export function claimsOf(account: AccountRow): Record<string, string | number | boolean> {
  return {
    name: account.displayName,
    ...(account.handle !== null && account.showsHandle && { preferred_username: account.handle }),
    ...(account.website !== '' && { website: account.website }),
    email: account.email,
    email_verified: false,
    // Unix seconds (OpenID Connect Core 1.0, section 5.1).
    updated_at: Math.floor((account.profileChangedAt ?? account.registeredAt) / 1000),
  };
}

/** How the consent page names these claims. */
export const releasedClaims = 'your display name, handle, website and e-mail address';

/**
 * Undefined unless the account is active: whatever was issued to it then stops working.
 * @param isLive it is known to be
 */
export async function findAccount(
  store: AuthorityStore,
  actorId: string,
  isLive: boolean,
): Promise<Account | undefined> {
  const account = isLive ? undefined : await active(store, actorId);
  if (!isLive && !account) return undefined;
  return {
    accountId: actorId,
    claims: async (use) => {
      // The ID token says who, and userinfo says what about them: it is asked for when it is needed.
      if (use !== 'userinfo') return { sub: actorId };
      const known = account ?? (await active(store, actorId));
      return { sub: actorId, ...(known ? claimsOf(known) : {}) };
    },
  };
}

const active = (store: AuthorityStore, actorId: string): Promise<AccountRow | null> =>
  store.db.findOneBy(AccountRow, { actorId, state: 'active' });
