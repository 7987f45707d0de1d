import type { Provider } from 'oidc-provider';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import { lockCredentialShared } from '../../../base/store/authority/credential-lock.js';
import { destroyRecord, findRecord } from './statements.js';
import type { FoundRecord } from './statements.js';

type Session = InstanceType<Provider['Session']> & { oldId?: string; touched?: boolean };

/**
 * Replaces the library's way to save sessions:
 * - A session without an account is not stored. The library would store one for each browser that begins a sign-out.
 * - A new identifier replaces the old one in one transaction, unless the old session has ended. The library would
 *   destroy the old session unchecked and write the new one.
 */
export function replaceSessionsAtomically(provider: Provider, store: AuthorityStore): void {
  const { prototype } = provider.Session;
  const save: (this: Session, ttl: number) => Promise<string> = Reflect.get(prototype, 'save');
  Object.defineProperty(prototype, 'save', {
    async value(this: Session, ttl: number): Promise<string> {
      const { oldId, accountId } = this;
      if (accountId === undefined) {
        // Otherwise the library saves again at the end of the request.
        this.touched = false;
        return this.jti;
      }
      if (oldId === undefined) return save.call(this, ttl);
      return store.transaction(async () => {
        await lockCredentialShared(store, accountId);
        const old = ['Session', credentialHash(oldId)];
        const [current] = await store.rows<FoundRecord>(findRecord, old);
        if (current && current.consumed_at !== null) return this.jti;
        await store.rows(destroyRecord, old);
        delete this.oldId;
        return save.call(this, ttl);
      });
    },
  });
}
