import type { Provider } from 'oidc-provider';
import { AccountRow } from '../../store/authority/account.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { holdCredential } from '../../store/authority/credential-lock.js';
import { credentialHash } from '../../store/authority/credential-hash.js';
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
  /** SHA-256 of its present identifier, by which it is stored. */
  readonly keyHash: Buffer;
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
    return account ? { uid: session.uid, keyHash: credentialHash(session.jti), account } : undefined;
  }

  /**
   * Signs in. The browser's session gets a new identifier, so that one which somebody planted or saw is worth nothing; and
   * where it was nobody's or another account's, it is a new one altogether.
   * @throws {Fault} `login_required`: the password was changed since it was checked, which ended every session.
   */
  async begin(exchange: Exchange, { actorId, passwordHash }: Proven): Promise<Session> {
    const { Session } = this.authorization.provider;
    return this.store.transaction(async () => {
      if ((await holdCredential(this.store, actorId)) !== passwordHash)
        throw new Fault(403, 'login_required', 'Your password was just changed. Sign in with the new one.');
      const before = await this.session(exchange);
      const goesOn = before?.accountId === actorId;
      const session = goesOn ? before : new Session();
      if (goesOn) session.resetIdentifier();
      session.loginAccount({ accountId: actorId, amr: ['pwd'] });
      await this.keep(exchange, session);
      if (!goesOn) await before?.destroy();
      return session;
    });
  }

  /** Another identifier for the session that goes on. */
  async renew(exchange: Exchange): Promise<void> {
    const session = await this.session(exchange);
    if (!session) return;
    session.resetIdentifier();
    await this.keep(exchange, session);
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

  private async keep(exchange: Exchange, session: Session): Promise<void> {
    await session.save(SESSION_LIFETIME);
    this.cookies.set(exchange, this.cookieName, session.jti, new Date(session.exp * 1000));
  }

  private get cookieName(): string {
    return this.authorization.provider.cookieName('session');
  }
}
