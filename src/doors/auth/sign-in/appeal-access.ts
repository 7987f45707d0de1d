import type { Clock } from '../../../base/support/clock.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { passwordFingerprint } from '../../../base/store/authority/credential-hash.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { HttpExchange } from '../storage/exchange.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { VerifiedAccount } from './sign-in.js';

const LIFETIME_MS = 60 * 60_000;

/** A suspended person at the appeal page. `holder`: a secret of the browser, for its forms. */
export interface Appellant {
  readonly account: AccountRow;
  readonly holder: string;
}

/**
 * The access of suspended people to the appeal page. It is a signed cookie and no session: no other page reads it, so it
 * cannot become a sign-in. It ends after an hour, with the suspension, and when the password changes.
 */
export class AppealAccess {
  constructor(
    private readonly cookies: PageCookies,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
  ) {}

  begin(exchange: HttpExchange, { actorId, passwordHash }: VerifiedAccount): void {
    const until = this.clock.now() + LIFETIME_MS;
    const value = [actorId, String(until), passwordFingerprint(passwordHash)].join('.');
    this.cookies.setAppeal(exchange, value, new Date(until));
  }

  async find(exchange: HttpExchange): Promise<Appellant | undefined> {
    const value = this.cookies.appeal(exchange);
    const [actorId = '', until, proof] = value?.split('.') ?? [];
    if (value === undefined || Number(until) <= this.clock.now()) return undefined;
    const [account, credential] = await Promise.all([
      this.store.db.findOneBy(AccountRow, { actorId, state: 'suspended' }),
      this.store.db.findOneBy(CredentialRow, { actorId }),
    ]);
    if (!account || !credential || passwordFingerprint(credential.passwordHash) !== proof) return undefined;
    return { account, holder: `appeal:${value}` };
  }

  end(exchange: HttpExchange): void {
    this.cookies.setAppeal(exchange, null);
  }
}
