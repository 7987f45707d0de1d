import type { Account } from 'oidc-provider';
import type { Addresses } from '../../../commands/account/addresses.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';

export const identityClaims = [
  'sub',
  'name',
  'preferred_username',
  'website',
  'email',
  'email_verified',
  'updated_at',
];

/** `isVerified`: the person confirmed the address (commands/account/addresses.ts). */
export function claimsOf(
  account: AccountRow,
  isVerified: boolean,
): Record<string, string | number | boolean> {
  return {
    name: account.displayName,
    ...(account.handle !== null && account.showsHandle && { preferred_username: account.handle }),
    ...(account.website !== '' && { website: account.website }),
    email: account.email,
    email_verified: isVerified,
    // Unix seconds (OpenID Connect Core 1.0, section 5.1).
    updated_at: Math.floor((account.profileChangedAt ?? account.registeredAt) / 1000),
  };
}

export const releasedClaims = 'your display name, handle, website and e-mail address';

/**
 * Finds an account for the library. Returns undefined unless the account is active, so that the tokens of a suspended
 * account stop working.
 * @param isLive the account is known to be active
 */
export async function findAccount(
  { store, addresses }: { readonly store: AuthorityStore; readonly addresses: Addresses },
  actorId: string,
  isLive: boolean,
): Promise<Account | undefined> {
  const account = isLive ? undefined : await active(store, actorId);
  if (!isLive && !account) return undefined;
  return {
    accountId: actorId,
    claims: async (use) => {
      if (use !== 'userinfo') return { sub: actorId };
      const known = account ?? (await active(store, actorId));
      if (!known) return { sub: actorId };
      const holder = await addresses.holder(actorId);
      return {
        sub: actorId,
        ...claimsOf(known, holder?.isVerified === true && holder.email === known.email),
      };
    },
  };
}

const active = (store: AuthorityStore, actorId: string): Promise<AccountRow | null> =>
  store.db.findOneBy(AccountRow, { actorId, state: 'active' });
