import type { CommandBus } from '@nestjs/cqrs';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../../../base/support/clock.js';
import { RecordSignIn } from '../../../commands/account/sign-ins.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { lockCredential } from '../../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { AuthorizationServer } from '../authorization-server.js';
import { Fault } from '../rules/faults.js';
import { SESSION_LIFETIME_SECONDS } from '../rules/policy.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { HttpExchange } from '../storage/exchange.js';
import { KNOWN_BROWSER_MS } from '../storage/known-browsers.js';
import type { KnownBrowsers } from '../storage/known-browsers.js';
import type { PageCookies } from '../storage/page-cookies.js';
import { amrOf } from './sign-in.js';
import type { VerifiedAccount } from './sign-in.js';

type Session = InstanceType<Provider['Session']>;

export interface SignedIn {
  /** The session's inner identifier. It outlives changes of the cookie and never leaves the server. */
  readonly uid: string;
  readonly account: AccountRow;
}

/** Uses the library's login sessions outside of the library: the account page and the OAuth flow share one sign-in. */
export class BrowserSessions {
  constructor(
    private readonly commands: CommandBus,
    private readonly authorization: AuthorizationServer,
    private readonly cookies: PageCookies,
    private readonly store: AuthorityStore,
    private readonly knownBrowsers: KnownBrowsers,
    private readonly clock: Clock,
  ) {}

  async find(exchange: HttpExchange): Promise<SignedIn | undefined> {
    const session = await this.session(exchange);
    if (session?.accountId === undefined) return undefined;
    const actorId = session.accountId;
    const account = await this.store.db.findOneBy(AccountRow, { actorId, state: 'active' });
    return account ? { uid: session.uid, account } : undefined;
  }

  /**
   * Records a sign-in, then begins its session: none is missing from the log. Not in one transaction, which would hold
   * a connection for as long as the log takes. `appId`: the application that the person signs in for.
   * @throws as {@link begin}; errors of the log: no session has begun.
   */
  async signIn(exchange: HttpExchange, account: VerifiedAccount, appId?: string): Promise<Session> {
    const { actorId, isNew } = account;
    const metadata = pageRequestMetadata(exchange, { actorId, appId });
    await this.commands.execute(new RecordSignIn(actorId, metadata, isNew));
    return this.begin(exchange, account);
  }

  /**
   * Signs a person in: begins a session and ends the previous one of the browser, which prevents session fixation, also
   * by a concurrent request. A session of the same person keeps its inner identifier, so that open consent pages stay
   * valid.
   * @throws {Fault} `login_required`: the password was changed, or the passkey removed, after the check, which ended every
   * session
   */
  async begin(exchange: HttpExchange, account: VerifiedAccount): Promise<Session> {
    const { actorId, passwordHash, passkeyId } = account;
    const { Session } = this.authorization.provider;
    const session = new Session();
    const known = await this.store.transaction(async () => {
      if ((await lockCredential(this.store, actorId)) !== passwordHash)
        throw new Fault(403, 'login_required', 'Your password was just changed. Sign in with the new one.');
      if (passkeyId !== undefined && !(await this.hasPasskey(actorId, passkeyId)))
        throw new Fault(403, 'login_required', 'This passkey was just removed. Sign in with another one.');
      const previous = await this.session(exchange);
      if (previous?.accountId === actorId) session.uid = previous.uid;
      session.loginAccount({ accountId: actorId, amr: amrOf(account) });
      await session.save(SESSION_LIFETIME_SECONDS);
      await previous?.destroy();
      return this.knownBrowsers.remember(exchange, actorId);
    });
    this.cookies.setKnownBrowser(exchange, known, new Date(this.clock.now() + KNOWN_BROWSER_MS));
    this.cookies.set(exchange, this.cookieName, session.jti, new Date(session.exp * 1000));
    return session;
  }

  async end(exchange: HttpExchange): Promise<void> {
    const session = await this.session(exchange);
    await session?.destroy();
    this.cookies.set(exchange, this.cookieName, null);
  }

  private async hasPasskey(actorId: string, passkeyId: string): Promise<boolean> {
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
    return credential?.factors.passkeys.some(({ id }) => id === passkeyId) === true;
  }

  private async session(exchange: HttpExchange): Promise<Session | undefined> {
    const identifier = this.cookies.get(exchange, this.cookieName);
    return identifier === undefined ? undefined : this.authorization.provider.Session.find(identifier);
  }

  private get cookieName(): string {
    return this.authorization.provider.cookieName('session');
  }
}
