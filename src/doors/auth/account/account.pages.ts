import type { CommandBus } from '@nestjs/cqrs';
import { RevokeGrants } from '../../../commands/grant/revoke-grants.js';
import { SignOutEverywhere } from '../../../commands/account/sign-ins.js';
import { EndRecoveryLink } from '../../../commands/account/operator-recovery.js';
import type { OperatorLinks } from '../../../commands/account/operator-links.js';
import type { Addresses } from '../../../commands/account/addresses.js';
import type { Config } from '../../../base/config/config.js';
import { mailDelivery } from '../../../base/config/mail-settings.js';
import { ERASURE_DELAY_DAYS } from '../../../base/config/limit-settings.js';
import { mailboxOf } from '../../../domain/account/mailbox.js';
import { passkeys as script } from '../../../base/pages/passkey-script.js';
import { accountPage } from '../pages/account.page.js';
import type { AccountPage } from '../pages/account.page.js';
import { historyPage } from '../pages/own-data.js';
import { signInPage } from '../pages/sign-in.page.js';
import { signUpPage } from '../pages/sign-up.page.js';
import type { Confirmation } from '../passkeys/confirmation.js';
import type { Downloads } from '../own-data/downloads.js';
import { Fault } from '../rules/faults.js';
import {
  ACCOUNT_PATH,
  APPEAL_PATH,
  HISTORY_PATH,
  PASSKEYS_PATH,
  RECOVERY_PATH,
  SECOND_STEP_PATH,
} from '../settings.js';
import type { AppealAccess } from '../sign-in/appeal-access.js';
import type { BrowserSessions, SignedIn } from '../sign-in/browser-sessions.js';
import { pageRequestMetadata, queryOf } from '../storage/exchange.js';
import type { HttpExchange, FormFields, PageOrRedirect } from '../storage/exchange.js';
import { holderOfVisitor } from '../sign-in/csrf-protection.js';
import type { CsrfProtection } from '../sign-in/csrf-protection.js';
import { checkSignedIn, holderOfSession } from '../sign-in/signed-in-forms.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { PasswordCheck } from '../sign-in/password-check.js';
import { WRONG_PASSKEY } from '../sign-in/passkey-check.js';
import type { PasskeyCheck } from '../sign-in/passkey-check.js';
import type { SecondStep } from '../sign-in/second-step.js';
import { WRONG_PASSWORD } from '../sign-in/sign-in.js';
import type { SignInResult } from '../sign-in/sign-in.js';
import type { SignUp, SignUpFaults } from '../sign-in/sign-up.js';
import type { WrongPasswords } from '../storage/wrong-passwords.js';
import { isIdentifier } from '../storage/identifier.js';
import { addressActions } from './address.pages.js';
import type { AccountErasure } from './account-erasure.js';
import type { Appeals } from './appeals.js';
import type { ConnectedApplications } from './connected-applications.js';
import { disconnectAll, falseInOutage } from './disconnect-all.js';
import type { Histories } from './histories.js';
import { linksOf } from './links-of.js';
import { noticeText } from './notices.js';
import type { NoticeName } from './notices.js';
import type { OwnCases } from './own-cases.js';
import type { PasswordChange } from './password-change.js';

export const actions = {
  signIn: `${ACCOUNT_PATH}/sign-in`,
  passkey: `${ACCOUNT_PATH}/sign-in/passkey`,
  secondStep: SECOND_STEP_PATH,
  signUp: `${ACCOUNT_PATH}/sign-up`,
  signOut: `${ACCOUNT_PATH}/sign-out`,
  signOutEverywhere: `${ACCOUNT_PATH}/sign-out-everywhere`,
  disconnect: `${ACCOUNT_PATH}/disconnect`,
  password: `${ACCOUNT_PATH}/password`,
  erase: `${ACCOUNT_PATH}/erase`,
  keep: `${ACCOUNT_PATH}/keep`,
  appeal: `${ACCOUNT_PATH}/decisions`,
  history: HISTORY_PATH,
  data: `${ACCOUNT_PATH}/data`,
  endLink: `${ACCOUNT_PATH}/recovery-link`,
} as const;

export class AccountPages {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly sessions: BrowserSessions,
    private readonly passwords: PasswordCheck,
    private readonly signUps: SignUp,
    private readonly applications: ConnectedApplications,
    private readonly passwordChange: PasswordChange,
    private readonly erasure: AccountErasure,
    private readonly access: AppealAccess,
    private readonly appeals: Appeals,
    private readonly ownCases: OwnCases,
    private readonly wrongPasswords: WrongPasswords,
    private readonly addresses: Addresses,
    private readonly config: Config,
    private readonly histories: Histories,
    private readonly downloads: Downloads,
    private readonly operatorLinks: OperatorLinks,
    private readonly passkeys: PasskeyCheck,
    private readonly secondStep: SecondStep,
    private readonly confirmation: Confirmation,
  ) {}

  async show(exchange: HttpExchange): Promise<PageOrRedirect> {
    const signedIn = await this.sessions.find(exchange);
    return signedIn ? this.account(exchange, signedIn) : this.signIn(exchange, '');
  }

  async showSignUp(exchange: HttpExchange): Promise<PageOrRedirect> {
    await this.signUps.requireOpen();
    if (await this.sessions.find(exchange)) return { location: ACCOUNT_PATH };
    const form = this.csrf.field(holderOfVisitor(this.cookies.visitorId(exchange)));
    return this.signUp(form, {}, { faults: {} });
  }

  async submitSignIn(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    this.checkVisitor(exchange, fields);
    const account = await this.passwords.recognize(exchange, fields);
    if (!account) return this.signIn(exchange, fields['handle'] ?? '', WRONG_PASSWORD);
    if (!account.needsSecondStep) return this.enter(exchange, account);
    this.secondStep.begin(exchange, account);
    return { location: SECOND_STEP_PATH };
  }

  async submitPasskey(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    this.checkVisitor(exchange, fields);
    const holder = holderOfVisitor(this.cookies.visitorId(exchange));
    const account = await this.passkeys.recognize(exchange, holder, fields);
    return account ? this.enter(exchange, account) : this.signIn(exchange, '', WRONG_PASSKEY);
  }

  async showSecondStep(exchange: HttpExchange): Promise<PageOrRedirect> {
    return this.secondStep.show(exchange, secondStepAt(exchange));
  }

  async submitSecondStep(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const outcome = await this.secondStep.check(exchange, fields);
    if ('ended' in outcome) return { location: ACCOUNT_PATH };
    if ('problem' in outcome) return this.secondStep.show(exchange, secondStepAt(exchange), outcome.problem);
    const { actorId, mayAct } = outcome.account;
    const entered = await this.enter(exchange, outcome.account);
    const { after } = secondStepAt(exchange);
    if (after === 'recovery-all') {
      const metadata = pageRequestMetadata(exchange, { actorId });
      const isComplete = await disconnectAll(this.commands, actorId, metadata).catch(falseInOutage);
      if (!isComplete) {
        this.cookies.setNotice(exchange, 'recovered-and-some-connected');
        return entered;
      }
    }
    // Somebody else may have added a passkey.
    return after !== undefined && mayAct ? { location: PASSKEYS_PATH } : entered;
  }

  private async enter(exchange: HttpExchange, account: SignInResult): Promise<PageOrRedirect> {
    if (!account.mayAct) {
      this.access.begin(exchange, account);
      return { location: APPEAL_PATH };
    }
    await this.sessions.signIn(exchange, account);
    return { location: ACCOUNT_PATH };
  }

  async submitSignUp(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const secret = this.checkVisitor(exchange, fields);
    const registered = await this.signUps.register(exchange, fields, secret);
    if ('faults' in registered) return this.signUp(fields['form'] ?? '', fields, registered);
    await this.sessions.signIn(exchange, registered);
    const isAsked = this.signUps.asksToConfirm(fields['email'] ?? '');
    return this.done(exchange, isAsked ? 'welcome-and-asked' : 'welcome');
  }

  async submitSignOut(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    await this.checkSignedIn(exchange, fields);
    await this.sessions.end(exchange);
    return this.done(exchange, 'signed-out');
  }

  async submitSignOutEverywhere(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const { account } = await this.checkSignedIn(exchange, fields);
    const { actorId } = account;
    const metadata = pageRequestMetadata(exchange, { actorId });
    const all = fields['disconnect'] === 'all';
    const disconnect = () => disconnectAll(this.commands, actorId, metadata);
    // First while the person is still signed in and can retry; again for grants that another browser allowed meanwhile.
    if (all) await disconnect();
    await this.commands.execute(new SignOutEverywhere(actorId, metadata));
    const complete = all && (await disconnect());
    await this.sessions.end(exchange);
    if (!all) return this.done(exchange, 'signed-out-everywhere');
    return this.done(exchange, complete ? 'signed-out-and-disconnected' : 'signed-out-and-some-disconnected');
  }

  async submitDisconnect(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const { account } = await this.checkSignedIn(exchange, fields);
    const { application = '' } = fields;
    if (!isIdentifier(application))
      throw new Fault(400, 'invalid_request', 'The field application is missing or invalid.');
    const { actorId } = account;
    const of = { cause: 'person', actorId, appId: application } as const;
    await this.commands.execute(new RevokeGrants(of, pageRequestMetadata(exchange, { actorId })));
    return this.done(exchange, 'disconnected');
  }

  async submitPassword(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    const faults = await this.passwordChange.change(exchange, signedIn, fields);
    return faults
      ? this.account(exchange, signedIn, { passwordFaults: faults })
      : this.done(exchange, 'password-changed');
  }

  async submitErasure(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    const erasureFault = await this.erasure.request(exchange, signedIn, fields);
    return erasureFault === undefined
      ? this.done(exchange, 'erasure-planned')
      : this.account(exchange, signedIn, { erasureFault });
  }

  async submitKeep(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    await this.erasure.cancel(exchange, await this.checkSignedIn(exchange, fields));
    return this.done(exchange, 'kept');
  }

  async submitAppeal(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    const appealFault = await this.appeals.file(exchange, signedIn.account.actorId, fields);
    return appealFault ? this.account(exchange, signedIn, { appealFault }) : this.done(exchange, 'appealed');
  }

  async submitEndLink(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const { account } = await this.checkSignedIn(exchange, fields);
    const { actorId } = account;
    const metadata = pageRequestMetadata(exchange, { actorId });
    const { changed } = await this.commands.execute(
      new EndRecoveryLink(actorId, metadata, fields['link'] ?? ''),
    );
    return this.done(exchange, changed ? 'link-ended' : 'link-ended-before');
  }

  async showHistory(exchange: HttpExchange): Promise<PageOrRedirect> {
    const signedIn = await this.sessions.find(exchange);
    if (!signedIn) return { location: ACCOUNT_PATH };
    const history = await this.histories.page(signedIn.account.actorId, exchange);
    return { page: historyPage(history, ACCOUNT_PATH), status: 200 };
  }

  async submitData(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    const { actorId, handle } = signedIn.account;
    const person = { actorId, handle: handle ?? '', uid: signedIn.uid };
    const begun = await this.downloads.begin(exchange, person, fields);
    return 'fault' in begun ? this.account(exchange, signedIn, { dataFault: begun.fault }) : begun;
  }

  private done(exchange: HttpExchange, notice: NoticeName): PageOrRedirect {
    this.cookies.setNotice(exchange, notice);
    return { location: ACCOUNT_PATH };
  }

  private checkVisitor(exchange: HttpExchange, fields: FormFields): string {
    const holder = holderOfVisitor(this.cookies.visitorId(exchange));
    return this.csrf.check(holder, exchange.request.headers, fields);
  }

  private checkSignedIn(exchange: HttpExchange, fields: FormFields): Promise<SignedIn> {
    return checkSignedIn({ sessions: this.sessions, csrf: this.csrf }, exchange, fields);
  }

  private async account(
    exchange: HttpExchange,
    signedIn: SignedIn,
    faults: Partial<Pick<AccountPage, 'passwordFaults' | 'erasureFault' | 'appealFault' | 'dataFault'>> = {},
  ): Promise<PageOrRedirect> {
    const { displayName, handle, email, registeredAt, erasesAt, actorId } = signedIn.account;
    const holder = await this.addresses.holder(actorId);
    const { factors, options } = await this.confirmation.of({ actorId, uid: signedIn.uid });
    const sendsMail = mailDelivery(this.config) !== 'none';
    const page = accountPage({
      actions,
      form: this.csrf.field(holderOfSession(signedIn)),
      person: { displayName, handle: handle ?? '', email, registeredAt },
      address: {
        isVerified: holder?.isVerified === true,
        change: addressActions.change,
        sendsMail,
        verify: sendsMail && mailboxOf(email) ? addressActions.verify : undefined,
      },
      applications: await this.applications.of(actorId),
      wrongPasswords: await this.wrongPasswords.of(actorId),
      passwordFaults: {},
      erasesAt,
      erasureDays: ERASURE_DELAY_DAYS,
      largeTablesAt: this.erasure.largeTablesAt,
      erasureFault: undefined,
      appealFault: undefined,
      cases: await this.ownCases.of(actorId),
      history: await this.histories.newest(actorId),
      dataFault: undefined,
      links: await linksOf(this.operatorLinks, actorId),
      notice: this.notice(exchange),
      options,
      passkeys: { address: PASSKEYS_PATH, factors },
      ...faults,
    });
    return { page, status: Object.keys(faults).length === 0 ? 200 : 400, script: options && script };
  }

  private async signIn(exchange: HttpExchange, handle: string, problem?: string): Promise<PageOrRedirect> {
    const holder = holderOfVisitor(this.cookies.visitorId(exchange));
    const options = await this.passkeys.options(holder);
    const page = signInPage({
      action: actions.signIn,
      form: this.csrf.field(holder),
      passkey: { action: actions.passkey, options },
      signUp: (await this.signUps.isOpen()) ? actions.signUp : undefined,
      contact: this.signUps.contact,
      recovery: RECOVERY_PATH,
      applicationName: undefined,
      handle,
      notice: this.notice(exchange),
      problem,
    });
    return { page, status: problem === undefined ? 200 : 400, script: options && script };
  }

  private signUp(form: string, typed: FormFields, { faults, problem }: SignUpFaults): PageOrRedirect {
    const signIn = ACCOUNT_PATH;
    const page = signUpPage({
      action: actions.signUp,
      form,
      signIn,
      applicationName: undefined,
      typed,
      faults,
      problem,
      contact: this.signUps.contact,
    });
    return { page, status: problem === undefined && Object.keys(faults).length === 0 ? 200 : 400 };
  }

  private notice(exchange: HttpExchange): string | undefined {
    return noticeText(this.cookies.takeNotice(exchange));
  }
}

/** The steps that follow a recovery, by the field `after` of the address. */
const afterRecovery: ReadonlySet<string> = new Set(['recovery', 'recovery-all']);

function secondStepAt(exchange: HttpExchange) {
  const asked = queryOf(exchange, 'after');
  const after = afterRecovery.has(asked) ? asked : undefined;
  const action = after === undefined ? SECOND_STEP_PATH : `${SECOND_STEP_PATH}?after=${after}`;
  return { action, back: ACCOUNT_PATH, after };
}
