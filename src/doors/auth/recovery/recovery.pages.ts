import type { CommandBus } from '@nestjs/cqrs';
import type { Config } from '../../../base/config/config.js';
import { mailDelivery } from '../../../base/config/mail-settings.js';
import type { Clock } from '../../../base/support/clock.js';
import type { AddressHolder } from '../../../commands/account/addresses.js';
import { RecoverAccount } from '../../../commands/account/recover-account.js';
import { RECOVERY_LINK_MINUTES } from '../../../commands/account/recovery-links.js';
import type { RecoveryLinks } from '../../../commands/account/recovery-links.js';
import type { MailRequests } from '../../../commands/mail/mail-requests.js';
import { mailboxOf } from '../../../domain/account/mailbox.js';
import { isOutage } from '../../../log/witness/outage.js';
import { disconnectAll } from '../account/disconnect-all.js';
import { askedPage, endedPage, newPasswordPage, recoveryPage } from '../pages/recovery.page.js';
import type { Passwords } from '../passwords.js';
import { ACCOUNT_PATH, APPEAL_PATH, RECOVERY_PATH } from '../settings.js';
import type { AppealAccess } from '../sign-in/appeal-access.js';
import type { BrowserSessions } from '../sign-in/browser-sessions.js';
import { holderOfVisitor } from '../sign-in/csrf-protection.js';
import type { CsrfProtection } from '../sign-in/csrf-protection.js';
import { enforceLimit } from '../sign-in/password-check.js';
import { passwordProblem } from '../sign-in/password-rules.js';
import type { SignInLimits } from '../sign-in/sign-in-limits.js';
import { pageRequestMetadata, queryOf } from '../storage/exchange.js';
import type { FormFields, HttpExchange, PageOrRedirect } from '../storage/exchange.js';
import { isIdentifier } from '../storage/identifier.js';
import type { PageCookies } from '../storage/page-cookies.js';

export const recoveryActions = {
  ask: RECOVERY_PATH,
  /** The link of a mail. */
  link: `${RECOVERY_PATH}/link`,
  password: `${RECOVERY_PATH}/password`,
} as const;

/** The way back in for a person who does not remember the password. */
export class RecoveryPages {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly sessions: BrowserSessions,
    private readonly access: AppealAccess,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    private readonly links: RecoveryLinks,
    private readonly mails: MailRequests,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  show(exchange: HttpExchange): Promise<PageOrRedirect> {
    return Promise.resolve(this.recovery(exchange));
  }

  /**
   * Stores what was typed, whatever it is, and says so: nothing is looked up before the answer, and a used-up limit answers
   * alike.
   */
  async submit(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    this.csrf.check(holderOfVisitor(this.cookies.visitorId(exchange)), exchange.request.headers, fields);
    const address = (fields['email'] ?? '').trim();
    if (this.sendsNone) return this.recovery(exchange);
    if (!mailboxOf(address)) return this.recovery(exchange, address);
    if ((await this.limits.takeMail(exchange.address)).allowed)
      await this.mails.add({ kind: 'recovery', address });
    return { page: askedPage({ minutes: RECOVERY_LINK_MINUTES, signIn: ACCOUNT_PATH }), status: 200 };
  }

  /** Moves the token from the address to a cookie, where no history, log of a proxy or Referer has it. Uses nothing up. */
  open(exchange: HttpExchange): Promise<PageOrRedirect> {
    const token = queryOf(exchange, 'token');
    if (!isIdentifier(token)) return Promise.resolve(ended);
    const until = new Date(this.clock.now() + RECOVERY_LINK_MINUTES * 60_000);
    this.cookies.setRecovery(exchange, token, until);
    return Promise.resolve({ location: recoveryActions.password });
  }

  async showPassword(exchange: HttpExchange): Promise<PageOrRedirect> {
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
    const token = this.cookies.recovery(exchange) ?? '';
    const holder = await this.links.holderOf(token);
    return holder ? this.newPassword(token, holder) : ended;
  }

  async submitPassword(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const token = this.cookies.recovery(exchange) ?? '';
    this.csrf.check(holderOfLink(token), exchange.request.headers, fields);
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
    const holder = await this.links.holderOf(token);
    if (!holder) return ended;
    const { new: password = '' } = fields;
    const fault = passwordProblem(password, [holder.handle ?? '', holder.email]);
    if (fault !== undefined) return this.newPassword(token, holder, fault);
    const passwordHash = await this.passwords.hash(password);
    const metadata = pageRequestMetadata(exchange);
    const disconnects = fields['disconnect'] === 'all';
    const disconnect = (of: string) =>
      disconnectAll(this.commands, of, pageRequestMetadata(exchange, { actorId: of }));
    // First while the link still works, and the person can retry; again for grants that another browser allowed meanwhile.
    if (disconnects) await disconnect(holder.actorId);
    const recovered = await this.commands.execute(new RecoverAccount(token, passwordHash, metadata));
    this.cookies.setRecovery(exchange, null);
    if (!recovered) return ended;
    const { actorId, mayAct } = recovered;
    if (mayAct) await this.sessions.signIn(exchange, { actorId, passwordHash });
    else this.access.begin(exchange, { actorId, passwordHash });
    const isComplete = !disconnects || (await disconnect(actorId).catch(falseInOutage));
    if (!mayAct) return { location: APPEAL_PATH };
    this.cookies.setNotice(exchange, isComplete ? 'recovered' : 'recovered-and-some-connected');
    return { location: ACCOUNT_PATH };
  }

  private get sendsNone(): boolean {
    return mailDelivery(this.config) === 'none';
  }

  private recovery(exchange: HttpExchange, refused?: string): PageOrRedirect {
    const page = recoveryPage({
      action: recoveryActions.ask,
      form: this.csrf.field(holderOfVisitor(this.cookies.visitorId(exchange))),
      signIn: ACCOUNT_PATH,
      sendsMail: !this.sendsNone,
      contact: this.config.operatorContact,
      typed: refused ?? '',
      fault: refused === undefined ? undefined : 'No mail can be sent to this address.',
    });
    return { page, status: refused === undefined ? 200 : 400 };
  }

  private newPassword(token: string, { handle }: AddressHolder, fault?: string): PageOrRedirect {
    const page = newPasswordPage({
      action: recoveryActions.password,
      form: this.csrf.field(holderOfLink(token)),
      handle: handle ?? '',
      fault,
    });
    return { page, status: fault === undefined ? 200 : 400 };
  }
}

/** The password is set: the page must say so, and what is left to do. */
function falseInOutage(error: unknown): false {
  if (isOutage(error)) return false;
  throw error;
}

const holderOfLink = (token: string): string => `recovery:${token}`;

const ended: PageOrRedirect = { page: endedPage({ again: RECOVERY_PATH }), status: 400 };
