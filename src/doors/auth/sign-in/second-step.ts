import type { CommandBus } from '@nestjs/cqrs';
import { ChangeFactors } from '../../../commands/account/change-factors.js';
import { Refusal } from '../../../domain/refusal.js';
import { passkeys as script } from '../../../base/pages/passkey-script.js';
import { secondStepPage } from '../pages/second-step.page.js';
import type { PersonPasskeys } from '../passkeys/person-passkeys.js';
import { codeDigest } from '../passkeys/recovery-codes.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { FormFields, HttpExchange, PageOrRedirect } from '../storage/exchange.js';
import type { PageCookies } from '../storage/page-cookies.js';
import type { CsrfProtection } from './csrf-protection.js';
import { enforceLimit } from './password-check.js';
import type { PasswordProofs, ProvenPassword } from './password-proofs.js';
import type { SignInResult, VerifiedAccount } from './sign-in.js';
import type { SignInLimits } from './sign-in-limits.js';

const LIFETIME_MS = 10 * 60_000;

/** `action`: of the form. `back`: the page of the sign-in. */
interface Addresses {
  readonly action: string;
  readonly back: string;
}

/** `problem`: neither the passkey nor the code is the person's. `ended`: the password must be proven again. */
export type SecondStepOutcome =
  | { readonly account: SignInResult }
  | { readonly problem: string }
  | { readonly ended: true };

/**
 * Asks for a passkey or a recovery code after the password, where the person turned that on. Until then the browser has a
 * signed cookie and no session, which opens nothing else.
 */
export class SecondStep {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: PageCookies,
    private readonly csrf: CsrfProtection,
    private readonly proofs: PasswordProofs,
    private readonly passkeys: PersonPasskeys,
    private readonly limits: SignInLimits,
  ) {}

  begin(exchange: HttpExchange, account: VerifiedAccount): void {
    const { value, until } = this.proofs.make(account, LIFETIME_MS);
    this.cookies.setSecondStep(exchange, value, until);
  }

  /** The page that asks; without a proven password, that of the sign-in. */
  async show(exchange: HttpExchange, { action, back }: Addresses, problem?: string): Promise<PageOrRedirect> {
    const proven = await this.proven(exchange);
    if (!proven) return { location: back };
    const { account, credential, holder } = proven;
    const browser = { actorId: account.actorId, uid: holder };
    const options = await this.passkeys.confirmOptions(browser, credential.factors);
    const page = secondStepPage({
      action,
      back,
      form: this.csrf.field(holder),
      handle: account.handle ?? '',
      options,
      problem,
    });
    return { page, status: problem === undefined ? 200 : 400, script: options && script };
  }

  /**
   * Checks the field `credential`, or if it is empty the field `code`, which is then used up.
   * @throws {Fault} `pilot_rate_limited`; the form is of another page. {HttpRefusal} `invalid_request`: the passkey proves
   * nothing. Errors of log and store.
   */
  async check(exchange: HttpExchange, fields: FormFields): Promise<SecondStepOutcome> {
    this.csrf.checkOrigin(exchange.request.headers);
    const proven = await this.proven(exchange);
    if (!proven) return { ended: true };
    this.csrf.check(proven.holder, exchange.request.headers, fields);
    enforceLimit(exchange, await this.limits.takeFactor(exchange.address));
    const outcome = fields['credential']
      ? await this.byPasskey(proven, fields['credential'])
      : await this.byCode(exchange, proven, fields['code'] ?? '');
    if ('problem' in outcome) return outcome;
    await this.limits.refundFactor(exchange.address);
    this.cookies.setSecondStep(exchange, null);
    return outcome;
  }

  private async byPasskey({ account, holder }: Proven, answer: string): Promise<SecondStepOutcome> {
    const confirmed = await this.passkeys.confirm({ actorId: account.actorId, uid: holder }, answer);
    return confirmed ? { account: confirmed } : { problem: 'That is none of your passkeys.' };
  }

  private async byCode(
    exchange: HttpExchange,
    { account, credential }: Proven,
    typed: string,
  ): Promise<SecondStepOutcome> {
    const { actorId, state } = account;
    const metadata = pageRequestMetadata(exchange, { actorId });
    const used = { kind: 'recovery_code_used', code: codeDigest(typed) } as const;
    try {
      await this.commands.execute(new ChangeFactors(actorId, used, metadata));
    } catch (error) {
      if (error instanceof Refusal) return { problem: error.message };
      throw error;
    }
    return { account: { actorId, passwordHash: credential.passwordHash, mayAct: state === 'active' } };
  }

  private async proven(exchange: HttpExchange): Promise<Proven | undefined> {
    const value = this.cookies.secondStep(exchange);
    const proven = await this.proofs.read(value);
    return proven && { ...proven, holder: `second-step:${value}` };
  }
}

/** `holder`: of the forms. */
type Proven = ProvenPassword & { readonly holder: string };
