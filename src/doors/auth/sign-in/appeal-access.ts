import type { AccountRow } from '../../../base/store/authority/account.row.js';
import type { HttpExchange } from '../storage/exchange.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { PasswordProofs } from './password-proofs.js';
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
    private readonly proofs: PasswordProofs,
  ) {}

  begin(exchange: HttpExchange, account: VerifiedAccount): void {
    const { value, until } = this.proofs.make(account, LIFETIME_MS);
    this.cookies.setAppeal(exchange, value, until);
  }

  async find(exchange: HttpExchange): Promise<Appellant | undefined> {
    const value = this.cookies.appeal(exchange);
    const proven = await this.proofs.read(value);
    if (proven?.account.state !== 'suspended') return undefined;
    return { account: proven.account, holder: `appeal:${value}` };
  }

  end(exchange: HttpExchange): void {
    this.cookies.setAppeal(exchange, null);
  }
}
