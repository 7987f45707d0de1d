import type { Provider } from 'oidc-provider';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { credentialHash } from '../../store/authority/credential-hash.js';
import { holdCredential } from '../../store/authority/credential-lock.js';
import { destroyRecord, findRecord } from './statements.js';
import type { FoundRecord } from './statements.js';

type Session = InstanceType<Provider['Session']> & { oldId?: string; touched?: boolean };

/**
 * A session of nobody is not kept: the library would keep one for each browser that is sent to sign out.
 *
 * A session that goes on under a new identifier takes the place of the old one as a whole, and not where that was ended
 * meanwhile, as it would if the library did it: it destroys the old one, whatever that is by now, and writes another.
 */
export function replaceSessionsWhole(provider: Provider, store: AuthorityStore): void {
  const { prototype } = provider.Session;
  const save: (this: Session, ttl: number) => Promise<string> = Reflect.get(prototype, 'save');
  Object.defineProperty(prototype, 'save', {
    async value(this: Session, ttl: number): Promise<string> {
      const { oldId, accountId } = this;
      if (accountId === undefined) {
        // The library asks once more, after everything, where this is still to be done.
        this.touched = false;
        return this.jti;
      }
      if (oldId === undefined) return save.call(this, ttl);
      return store.transaction(async () => {
        await holdCredential(store, accountId);
        const old = ['Session', credentialHash(oldId)];
        const [known] = await store.rows<FoundRecord>(findRecord, old);
        if (known && known.consumed_at !== null) return this.jti;
        await store.rows(destroyRecord, old);
        delete this.oldId;
        return save.call(this, ttl);
      });
    },
  });
}
