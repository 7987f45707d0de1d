import type { Provider } from 'oidc-provider';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { holdCredential } from '../../store/authority/credential-lock.js';

type Session = InstanceType<Provider['Session']> & { oldId?: string };

/**
 * A session that goes on under a new identifier takes the place of the old one as a whole, and only where that lives
 * still: the library forgets the old row and writes another, which would bring a session back that was ended meanwhile.
 */
export function replaceSessionsWhole(provider: Provider, store: AuthorityStore): void {
  const { prototype } = provider.Session;
  const save: (this: Session, ttl: number) => Promise<string> = Reflect.get(prototype, 'save');
  Object.defineProperty(prototype, 'save', {
    async value(this: Session, ttl: number): Promise<string> {
      const { oldId, accountId } = this;
      if (oldId === undefined) return save.call(this, ttl);
      return store.transaction(async () => {
        if (accountId !== undefined) await holdCredential(store, accountId);
        if (!(await provider.Session.find(oldId))) return this.jti;
        const saved = await save.call(this, ttl);
        delete this.oldId;
        return saved;
      });
    },
  });
}
