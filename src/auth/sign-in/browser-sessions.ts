import type { Provider } from 'oidc-provider';
import { AccountRow } from '../../store/authority/account.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { holdCredential } from '../../store/authority/credential-lock.js';
import type { AuthorizationServer } from '../authorization-server.js';
import { Fault } from '../protocol/faults.js';
import { SESSION_LIFETIME } from '../protocol/policy.js';
import type { Exchange } from './exchange.js';
import type { PageCookies } from './page-cookies.js';
import type { Proven } from './sign-in.js';

type Session = InstanceType<Provider['Session']>;

/** Who is signed in with a browser. */
export interface SignedIn {
  /** Of the session, for as long as it lives. Nobody outside learns it. */
  readonly uid: string;
  readonly account: AccountRow;
}

/**
 * The library's own sessions, found, begun and ended where the library is not asked: being signed in at the account page
 * and in the OAuth flow is one and the same.
 */
export class BrowserSessions {
  constructor(
    private readonly authorization: AuthorizationServer,
    private readonly cookies: PageCookies,
    private readonly store: AuthorityStore,
  ) {}

  /** Undefined: nobody, or an account that may not act. */
  async find(exchange: Exchange): Promise<SignedIn | undefined> {
    const session = await this.session(exchange);
    if (session?.accountId === undefined) return undefined;
    const actorId = session.accountId;
    const account = await this.store.db.findOneBy(AccountRow, { actorId, state: 'active' });
    return account ? { uid: session.uid, account } : undefined;
  }

  /**
   * Signs in. What session the browser had is ended, so that an identifier which somebody planted or saw is worth nothing,
   * also to a request under way. Of the same person's the name within goes on: consent pages that are open stay good.
   * @throws {Fault} `login_required`: the password was changed since it was checked, which ended every session.
   */
  async begin(exchange: Exchange, { actorId, passwordHash }: Proven): Promise<Session> {
    const { Session } = this.authorization.provider;
    const session = new Session();
    await this.store.transaction(async () => {
      if ((await holdCredential(this.store, actorId)) !== passwordHash)
        throw new Fault(403, 'login_required', 'Your password was just changed. Sign in with the new one.');
      const before = await this.session(exchange);
      if (before?.accountId === actorId) session.uid = before.uid;
      session.loginAccount({ accountId: actorId, amr: ['pwd'] });
      await session.save(SESSION_LIFETIME);
      await before?.destroy();
    });
    this.cookies.set(exchange, this.cookieName, session.jti, new Date(session.exp * 1000));
    return session;
  }

  /** Signs out. */
  async end(exchange: Exchange): Promise<void> {
    const session = await this.session(exchange);
    await session?.destroy();
    this.cookies.set(exchange, this.cookieName, null);
  }

  private async session(exchange: Exchange): Promise<Session | undefined> {
    const identifier = this.cookies.get(exchange, this.cookieName);
    return identifier === undefined ? undefined : this.authorization.provider.Session.find(identifier);
  }

  private get cookieName(): string {
    return this.authorization.provider.cookieName('session');
  }
}
