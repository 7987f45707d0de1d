import { noFactors } from '../../../domain/account/factors.js';
import type { Factors } from '../../../domain/account/factors.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { PasskeyOptions } from '../pages/parts.js';
import type { Passwords } from '../passwords.js';
import { enforceLimit } from '../sign-in/password-check.js';
import type { SignedInBrowser, SignInLimits } from '../sign-in/sign-in-limits.js';
import type { FormFields, HttpExchange } from '../storage/exchange.js';
import type { PersonPasskeys } from './person-passkeys.js';

/** Asks a signed-in person to prove again who they are: by the password, or by a passkey. */
export class Confirmation {
  constructor(
    private readonly store: AuthorityStore,
    private readonly passwords: Passwords,
    private readonly passkeys: PersonPasskeys,
    private readonly limits: SignInLimits,
  ) {}

  /** The factors of the person, and the question by which a page asks for a passkey. */
  async of(browser: SignedInBrowser): Promise<{ factors: Factors; options: PasskeyOptions }> {
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId: browser.actorId });
    const factors = credential?.factors ?? noFactors;
    return { factors, options: await this.passkeys.confirmOptions(browser, factors) };
  }

  /**
   * Checks the field `credential`, or if it is empty the password. Returns a message if it is wrong, else undefined.
   * @throws {Fault} `pilot_rate_limited`: too many wrong ones for this account and browser. {HttpRefusal} `invalid_request`:
   * the passkey proves nothing. Errors of the store.
   */
  async problem(
    exchange: HttpExchange,
    browser: SignedInBrowser,
    { credential = '' }: FormFields,
    password = '',
  ): Promise<string | undefined> {
    enforceLimit(exchange, await this.limits.takePasswordConfirmation(browser));
    const isByPasskey = credential !== '';
    const isProven = isByPasskey
      ? (await this.passkeys.confirm(browser, credential)) !== undefined
      : await this.isPassword(browser, password);
    if (!isProven) return isByPasskey ? 'That is none of your passkeys.' : 'That is not your password.';
    await this.limits.refundPasswordConfirmation(browser);
    return undefined;
  }

  private async isPassword({ actorId }: SignedInBrowser, password: string): Promise<boolean> {
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
    return this.passwords.verify(credential?.passwordHash, password);
  }
}
