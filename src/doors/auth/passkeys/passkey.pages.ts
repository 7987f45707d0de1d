import type { CommandBus } from '@nestjs/cqrs';
import { ChangeFactors } from '../../../commands/account/change-factors.js';
import { MAX_PASSKEYS } from '../../../domain/account/factors.js';
import type { FactorsChange } from '../../../domain/account/factors.js';
import { Refusal } from '../../../domain/refusal.js';
import { passkeys as script } from '../../../base/pages/passkey-script.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { lockCredential } from '../../../base/store/authority/credential-lock.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { IdGenerator } from '../../../base/support/id-generator.js';
import { noticeText } from '../account/notices.js';
import type { NoticeName } from '../account/notices.js';
import {
  codesPage,
  confirmPage,
  isPasskeyAct,
  newPasskeyPage,
  passkeysPage,
} from '../pages/passkeys.page.js';
import type { PasskeyAct } from '../pages/passkeys.page.js';
import { Fault } from '../rules/faults.js';
import { ACCOUNT_PATH, PASSKEYS_PATH } from '../settings.js';
import { checkSignedIn, holderOfSession } from '../sign-in/signed-in-forms.js';
import type { BrowserSessions, SignedIn } from '../sign-in/browser-sessions.js';
import type { CsrfProtection } from '../sign-in/csrf-protection.js';
import { enforceLimit } from '../sign-in/password-check.js';
import type { SignedInBrowser, SignInLimits } from '../sign-in/sign-in-limits.js';
import { pageRequestMetadata, queryOf } from '../storage/exchange.js';
import type { FormFields, HttpExchange, PageOrRedirect } from '../storage/exchange.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { Confirmation } from './confirmation.js';
import type { PersonPasskeys } from './person-passkeys.js';
import { codeDigest, newCodes } from './recovery-codes.js';

export const passkeyActions = {
  list: PASSKEYS_PATH,
  /** Asks for a proof of the person, then does what the field `act` says. */
  change: `${PASSKEYS_PATH}/change`,
  create: `${PASSKEYS_PATH}/new`,
} as const;

/** A person's passkeys and second step. Every change asks for the password or a passkey, and its person is told by mail. */
export class PasskeyPages {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly sessions: BrowserSessions,
    private readonly store: AuthorityStore,
    private readonly confirmation: Confirmation,
    private readonly passkeys: PersonPasskeys,
    private readonly limits: SignInLimits,
    private readonly ids: IdGenerator,
  ) {}

  async show(exchange: HttpExchange): Promise<PageOrRedirect> {
    const signedIn = await this.sessions.find(exchange);
    return signedIn ? this.list(exchange, signedIn) : { location: ACCOUNT_PATH };
  }

  async showChange(exchange: HttpExchange): Promise<PageOrRedirect> {
    const signedIn = await this.sessions.find(exchange);
    if (!signedIn) return { location: ACCOUNT_PATH };
    return this.confirm(signedIn, actIn(queryOf(exchange, 'act')), queryOf(exchange, 'passkey'));
  }

  async submitChange(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    const { act: typed = '', passkey = '' } = fields;
    const [act, browser] = [actIn(typed), browserOf(signedIn)];
    const fault = await this.confirmation.problem(exchange, browser, fields, fields['confirm']);
    if (fault !== undefined) return this.confirm(signedIn, act, passkey, fault);
    switch (act) {
      case 'add':
        return this.askToCreate(exchange, signedIn);
      case 'remove':
        return this.change(exchange, signedIn, { kind: 'passkey_removed', id: passkey }, async () => {
          await this.beginAgain(exchange, signedIn);
          return this.done(exchange, 'passkey-removed');
        });
      case 'require': {
        const codes = newCodes(this.ids);
        const change = { kind: 'second_step_required', codes: codes.map(codeDigest) } as const;
        return this.change(exchange, signedIn, change, async () => {
          await this.beginAgain(exchange, signedIn);
          return { page: codesPage(codes, passkeyActions.list), status: 200 };
        });
      }
      case 'lift':
        return this.change(exchange, signedIn, { kind: 'second_step_lifted' }, () =>
          this.done(exchange, 'second-step-lifted'),
        );
    }
  }

  /** Adds the passkey that the browser made. Its challenge was given to a person who had proven who they are. */
  async submitNew(exchange: HttpExchange, fields: FormFields): Promise<PageOrRedirect> {
    const signedIn = await this.checkSignedIn(exchange, fields);
    const { credential = '', label = '' } = fields;
    enforceLimit(exchange, await this.limits.takeFactor(exchange.address));
    const passkey = await this.passkeys.verifyCreation(browserOf(signedIn), credential, label);
    await this.limits.refundFactor(exchange.address);
    return this.change(exchange, signedIn, { kind: 'passkey_added', passkey }, () =>
      this.done(exchange, 'passkey-added'),
    );
  }

  /** The change ended every session, so this browser gets a new one. */
  private async beginAgain(exchange: HttpExchange, { account: { actorId } }: SignedIn): Promise<void> {
    const { passwordHash } = await this.store.db.findOneByOrFail(CredentialRow, { actorId });
    await this.sessions.begin(exchange, { actorId, passwordHash });
  }

  /**
   * A change sends a mail, so it counts as one for the account, but for the removal of what a thief added. A new passkey
   * counted when it was asked for.
   * @throws {Fault} `login_required`: the session was ended while the proof was checked, as by a new password.
   */
  private async change(
    exchange: HttpExchange,
    signedIn: SignedIn,
    change: FactorsChange,
    then: () => Promise<PageOrRedirect>,
  ): Promise<PageOrRedirect> {
    const { actorId } = signedIn.account;
    if (change.kind === 'second_step_required') enforceLimit(exchange, await this.limits.takeMailOf(actorId));
    const metadata = pageRequestMetadata(exchange, { actorId });
    try {
      await this.store.transaction(async () => {
        // Whatever ends all sessions of a person holds this lock.
        await lockCredential(this.store, actorId);
        if (!(await this.sessions.find(exchange)))
          throw new Fault(403, 'login_required', 'You are no longer signed in. Nothing was changed.');
        await this.commands.execute(new ChangeFactors(actorId, change, metadata));
      });
    } catch (error) {
      if (error instanceof Refusal) return this.list(exchange, signedIn, error.message);
      throw error;
    }
    return then();
  }

  /** Refuses before the device makes a passkey, which it would keep. */
  private async askToCreate(exchange: HttpExchange, signedIn: SignedIn): Promise<PageOrRedirect> {
    const { factors } = await this.confirmation.of(browserOf(signedIn));
    if (factors.passkeys.length >= MAX_PASSKEYS)
      return this.list(exchange, signedIn, `You have ${MAX_PASSKEYS} passkeys: remove one first.`);
    enforceLimit(exchange, await this.limits.takeMailOf(signedIn.account.actorId));
    const page = newPasskeyPage({
      action: passkeyActions.create,
      back: passkeyActions.list,
      form: this.csrf.field(holderOfSession(signedIn)),
      options: await this.passkeys.creationOptions(
        browserOf(signedIn),
        signedIn.account.handle ?? '',
        factors,
      ),
    });
    return { page, status: 200, script };
  }

  private async confirm(
    signedIn: SignedIn,
    act: PasskeyAct,
    id: string,
    fault?: string,
  ): Promise<PageOrRedirect> {
    const { factors, options } = await this.confirmation.of(browserOf(signedIn));
    const passkey = factors.passkeys.find((each) => each.id === id);
    if (act === 'remove' && !passkey) return { location: passkeyActions.list };
    const page = confirmPage({
      action: passkeyActions.change,
      back: passkeyActions.list,
      form: this.csrf.field(holderOfSession(signedIn)),
      act,
      passkey: act === 'remove' ? passkey : undefined,
      handle: signedIn.account.handle ?? '',
      options,
      fault,
    });
    return { page, status: fault === undefined ? 200 : 400, script: options && script };
  }

  private async list(exchange: HttpExchange, signedIn: SignedIn, problem?: string): Promise<PageOrRedirect> {
    const page = passkeysPage({
      account: ACCOUNT_PATH,
      change: passkeyActions.change,
      factors: (await this.confirmation.of(browserOf(signedIn))).factors,
      areUsable: this.passkeys.areUsable,
      notice: noticeText(this.cookies.takeNotice(exchange)),
      problem,
    });
    return { page, status: problem === undefined ? 200 : 400 };
  }

  private checkSignedIn(exchange: HttpExchange, fields: FormFields): Promise<SignedIn> {
    return checkSignedIn({ sessions: this.sessions, csrf: this.csrf }, exchange, fields);
  }

  private done(exchange: HttpExchange, notice: NoticeName): Promise<PageOrRedirect> {
    this.cookies.setNotice(exchange, notice);
    return Promise.resolve({ location: passkeyActions.list });
  }
}

const browserOf = ({ account, uid }: SignedIn): SignedInBrowser => ({ actorId: account.actorId, uid });

/** @throws {Fault} `invalid_request` */
function actIn(typed: string): PasskeyAct {
  if (!isPasskeyAct(typed)) throw new Fault(400, 'invalid_request', 'This address names no change.');
  return typed;
}
