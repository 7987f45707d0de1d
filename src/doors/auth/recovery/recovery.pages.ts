import type { CommandBus } from '@nestjs/cqrs';
import type { Config } from '../../../base/config/config.js';
import { mailDelivery } from '../../../base/config/mail-settings.js';
import type { Clock } from '../../../base/support/clock.js';
import type { AddressHolder } from '../../../commands/account/addresses.js';
import { EndRecoveryLink } from '../../../commands/account/operator-recovery.js';
import type { OperatorLinks } from '../../../commands/account/operator-links.js';
import { RecoverAccount } from '../../../commands/account/recover-account.js';
import { RECOVERY_LINK_MINUTES } from '../../../commands/account/recovery-links.js';
import type { RecoveryLink, RecoveryLinks } from '../../../commands/account/recovery-links.js';
import type { MailRequests } from '../../../commands/mail/mail-requests.js';
import { needsStepAfterRecovery } from '../../../domain/account/factors.js';
import type { Factors } from '../../../domain/account/factors.js';
import { mailboxOf } from '../../../domain/account/mailbox.js';
import { disconnectAll, falseInOutage } from '../account/disconnect-all.js';
import {
  askedPage,
  earlyPage,
  endedPage,
  endLinkPage,
  linkEndedPage,
  newPasswordPage,
  noOpenLinkPage,
  recoveryPage,
} from '../pages/recovery.page.js';
import type { Passwords } from '../passwords.js';
import { ACCOUNT_PATH, APPEAL_PATH, PASSKEYS_PATH, RECOVERY_PATH, SECOND_STEP_PATH } from '../settings.js';
import type { AppealAccess } from '../sign-in/appeal-access.js';
import type { BrowserSessions } from '../sign-in/browser-sessions.js';
import { holderOfVisitor } from '../sign-in/csrf-protection.js';
import type { CsrfProtection } from '../sign-in/csrf-protection.js';
import { enforceLimit } from '../sign-in/password-check.js';
import { passwordProblem } from '../sign-in/password-rules.js';
import type { SecondStep } from '../sign-in/second-step.js';
import type { SignInLimits } from '../sign-in/sign-in-limits.js';
import { pageRequestMetadata, queryOf } from '../storage/exchange.js';
import type { FormFields, HttpExchange, PageOrRedirect } from '../storage/exchange.js';
import { isIdentifier } from '../storage/identifier.js';
import type { PageCookies } from '../storage/page-cookies.js';

export const recoveryActions = {
  ask: RECOVERY_PATH,
  /** The link of a mail, or of operators. */
  link: `${RECOVERY_PATH}/link`,
  password: `${RECOVERY_PATH}/password`,
  /** The link of a mail that ends one of the operators. */
  end: `${RECOVERY_PATH}/end`,
} as const;

/** The way back in for a person who does not remember the password. */
export class RecoveryPages {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly sessions: BrowserSessions,
    private readonly access: AppealAccess,
    private readonly secondStep: SecondStep,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    private readonly links: RecoveryLinks,
    private readonly operatorLinks: OperatorLinks,
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
    const link = await this.links.find(token);
    return !link || this.isEarly(link) ? unusable(link) : this.newPassword(token, link.holder);
  }

  async submitPassword(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const token = this.cookies.recovery(exchange) ?? '';
    this.csrf.check(holderOfLink(token), exchange.request.headers, fields);
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
    const link = await this.links.find(token);
    if (!link || this.isEarly(link)) return unusable(link);
    const { holder } = link;
    const { new: password = '' } = fields;
    const fault = passwordProblem(password, [holder.handle ?? '', holder.email]);
    if (fault !== undefined) return this.newPassword(token, holder, fault);
    const passwordHash = await this.passwords.hash(password);
    const metadata = pageRequestMetadata(exchange);
    const disconnects = fields['disconnect'] === 'all';
    const disconnect = (of: string) =>
      disconnectAll(this.commands, of, pageRequestMetadata(exchange, { actorId: of }));
    // First while the link still works, and the person can retry; again for grants that another browser allowed meanwhile.
    // With a second step the mail alone disconnects nothing: the step does it then.
    if (disconnects && !this.needsSecondStep(holder.factors)) await disconnect(holder.actorId);
    const recovered = await this.commands.execute(new RecoverAccount(token, passwordHash, metadata));
    this.cookies.setRecovery(exchange, null);
    if (!recovered) return ended;
    const { actorId, mayAct, factors } = recovered;
    if (this.needsSecondStep(factors)) {
      this.secondStep.begin(exchange, { actorId, passwordHash });
      this.cookies.setNotice(exchange, 'recovered');
      return { location: `${SECOND_STEP_PATH}?after=${disconnects ? 'recovery-all' : 'recovery'}` };
    }
    if (mayAct) await this.sessions.signIn(exchange, { actorId, passwordHash });
    else this.access.begin(exchange, { actorId, passwordHash });
    const isComplete = !disconnects || (await disconnect(actorId).catch(falseInOutage));
    this.cookies.setNotice(exchange, isComplete ? 'recovered' : 'recovered-and-some-connected');
    // Somebody else may have added a passkey. The account page lists the applications.
    const showsPasskeys = isComplete && factors.passkeys.length > 0;
    if (!mayAct) return { location: APPEAL_PATH };
    return { location: showsPasskeys ? PASSKEYS_PATH : ACCOUNT_PATH };
  }

  /** The page of a mail's link that ends one of the operators. It changes nothing: programs that look at mails open links. */
  async showEnd(exchange: HttpExchange): Promise<PageOrRedirect> {
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
    const token = queryOf(exchange, 'token');
    if (!(await this.operatorLinks.readEnding(token))) return noOpenLink;
    const form = this.csrf.field(holderOfVisitor(this.cookies.visitorId(exchange)));
    return { page: endLinkPage({ action: recoveryActions.end, form, token }), status: 200 };
  }

  async submitEnd(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    this.csrf.check(holderOfVisitor(this.cookies.visitorId(exchange)), exchange.request.headers, fields);
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
    const link = await this.operatorLinks.readEnding(fields['token'] ?? '');
    if (!link) return noOpenLink;
    const { actorId, linkId } = link;
    const metadata = pageRequestMetadata(exchange, { actorId });
    await this.commands.execute(new EndRecoveryLink(actorId, metadata, linkId));
    return { page: linkEndedPage({ account: ACCOUNT_PATH }), status: 200 };
  }

  private isEarly({ worksFrom }: RecoveryLink): boolean {
    return worksFrom > this.clock.now();
  }

  private needsSecondStep(factors: Factors): boolean {
    return needsStepAfterRecovery(factors, this.clock.now());
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

  private newPassword(token: string, holder: AddressHolder, fault?: string): PageOrRedirect {
    const { handle, state, factors } = holder;
    const page = newPasswordPage({
      action: recoveryActions.password,
      form: this.csrf.field(holderOfLink(token)),
      handle: handle ?? '',
      next: this.needsSecondStep(factors) ? 'second-step' : state,
      fault,
    });
    return { page, status: fault === undefined ? 200 : 400 };
  }
}

const holderOfLink = (token: string): string => `recovery:${token}`;

const unusable = (link: RecoveryLink | undefined): PageOrRedirect =>
  link ? { page: earlyPage({ worksFrom: link.worksFrom }), status: 400 } : ended;

const ended: PageOrRedirect = { page: endedPage({ again: RECOVERY_PATH }), status: 400 };

const noOpenLink: PageOrRedirect = { page: noOpenLinkPage({ account: ACCOUNT_PATH }), status: 400 };
