import type { CommandBus } from '@nestjs/cqrs';
import type { Config } from '../../../base/config/config.js';
import { mailDelivery } from '../../../base/config/mail-settings.js';
import type { AddressLinks } from '../../../commands/account/address-links.js';
import { ConfirmAddress } from '../../../commands/account/confirm-address.js';
import type { MailRequests } from '../../../commands/mail/mail-requests.js';
import { mailboxOf } from '../../../domain/account/mailbox.js';
import { addressPage, confirmAddressPage, unusableLinkPage } from '../pages/address.page.js';
import type { AddressField } from '../pages/address.page.js';
import { passkeys } from '../../../base/pages/passkey-script.js';
import type { Confirmation } from '../passkeys/confirmation.js';
import { ACCOUNT_PATH, ADDRESS_PATH } from '../settings.js';
import { checkSignedIn, holderOfSession } from '../sign-in/signed-in-forms.js';
import type { BrowserSessions, SignedIn } from '../sign-in/browser-sessions.js';
import type { CsrfProtection } from '../sign-in/csrf-protection.js';
import { enforceLimit } from '../sign-in/password-check.js';
import type { SignInLimits } from '../sign-in/sign-in-limits.js';
import { pageRequestMetadata, queryOf } from '../storage/exchange.js';
import type { FormFields, HttpExchange, PageOrRedirect } from '../storage/exchange.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { NoticeName } from './notices.js';

export const addressActions = {
  change: ADDRESS_PATH,
  /** Sends a link to the address that the account has. */
  verify: `${ADDRESS_PATH}/verify`,
  /** The link of a mail. */
  confirm: `${ADDRESS_PATH}/confirm`,
} as const;

/** The address of an account: another one counts once its link was opened, and confirmed, where the person is signed in. */
export class AddressPages {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly sessions: BrowserSessions,
    private readonly confirmation: Confirmation,
    private readonly limits: SignInLimits,
    private readonly links: AddressLinks,
    private readonly mails: MailRequests,
    private readonly config: Config,
  ) {}

  async show(exchange: HttpExchange): Promise<PageOrRedirect> {
    const signedIn = await this.sessions.find(exchange);
    return signedIn ? this.address(signedIn, '', {}) : { location: ACCOUNT_PATH };
  }

  /** Says the same of an address that is another account's: only the mail tells. */
  async submit(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    if (this.sendsNone) return this.address(signedIn, '', {});
    const { actorId } = signedIn.account;
    const typed = (fields['email'] ?? '').trim();
    const mailbox = mailboxOf(typed);
    if (!mailbox) return this.address(signedIn, typed, { email: 'No mail can be sent to this address.' });
    const browser = { actorId, uid: signedIn.uid };
    const problem = await this.confirmation.problem(exchange, browser, fields, fields['confirm']);
    if (problem !== undefined) return this.address(signedIn, typed, { confirm: problem });
    return this.sendLink(exchange, actorId, mailbox.address);
  }

  async submitVerify(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const { account } = await this.checkSignedIn(exchange, fields);
    if (this.sendsNone) return { location: ACCOUNT_PATH };
    return this.sendLink(exchange, account.actorId, account.email);
  }

  /** The page of a mail's link. It changes nothing: programs that look at mails open links. */
  async showConfirm(exchange: HttpExchange): Promise<PageOrRedirect> {
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
    const token = queryOf(exchange, 'token');
    const link = await this.links.read(token);
    const signedIn = await this.sessions.find(exchange);
    if (!link || link.actorId !== signedIn?.account.actorId) {
      const why = !link ? 'ended' : signedIn ? 'of another account' : 'signed out';
      return { page: unusableLinkPage({ why, account: ACCOUNT_PATH }), status: 400 };
    }
    const page = confirmAddressPage({
      action: addressActions.confirm,
      account: ACCOUNT_PATH,
      form: this.csrf.field(holderOfSession(signedIn)),
      token,
      handle: signedIn.account.handle ?? '',
      address: link.address,
    });
    return { page, status: 200 };
  }

  async submitConfirm(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const { account } = await this.checkSignedIn(exchange, fields);
    const { actorId } = account;
    const link = await this.links.read(fields['token'] ?? '');
    const outcome =
      link?.actorId === actorId
        ? await this.commands.execute(new ConfirmAddress(link, pageRequestMetadata(exchange, { actorId })))
        : 'ended';
    if (outcome === 'confirmed') return this.done(exchange, 'address-confirmed');
    return { page: unusableLinkPage({ why: outcome, account: ACCOUNT_PATH }), status: 400 };
  }

  private checkSignedIn(exchange: HttpExchange, fields: FormFields): Promise<SignedIn> {
    return checkSignedIn({ sessions: this.sessions, csrf: this.csrf }, exchange, fields);
  }

  private get sendsNone(): boolean {
    return mailDelivery(this.config) === 'none';
  }

  private async sendLink(exchange: HttpExchange, actorId: string, address: string): Promise<PageOrRedirect> {
    enforceLimit(exchange, await this.limits.takeMail(exchange.address));
    await this.mails.add({ kind: 'verification', actorId, address });
    return this.done(exchange, 'address-asked');
  }

  private done(exchange: HttpExchange, notice: NoticeName): PageOrRedirect {
    this.cookies.setNotice(exchange, notice);
    return { location: ACCOUNT_PATH };
  }

  private async address(
    signedIn: SignedIn,
    typed: string,
    faults: Readonly<Partial<Record<AddressField, string>>>,
  ): Promise<PageOrRedirect> {
    const { handle, email, actorId } = signedIn.account;
    const { options } = await this.confirmation.of({ actorId, uid: signedIn.uid });
    const page = addressPage({
      action: addressActions.change,
      account: ACCOUNT_PATH,
      form: this.csrf.field(holderOfSession(signedIn)),
      sendsMail: !this.sendsNone,
      contact: this.config.operatorContact,
      handle: handle ?? '',
      address: email,
      typed,
      faults,
      options,
    });
    return { page, status: Object.keys(faults).length === 0 ? 200 : 400, script: options && passkeys };
  }
}
