import type { CommandBus } from '@nestjs/cqrs';
import { CreateAccount } from '../../../commands/account/create-account.js';
import type { HandleDigest } from '../../../commands/support/handle-digest.js';
import type { MailRequests } from '../../../commands/mail/mail-requests.js';
import type { Config } from '../../../base/config/config.js';
import { mailDelivery } from '../../../base/config/mail-settings.js';
import { mailboxOf } from '../../../domain/account/mailbox.js';
import { registrationFaults } from '../../../domain/account/account.js';
import { Refusal } from '../../../domain/refusal.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { registrationState } from '../../../base/store/authority/registration.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { SignUpField } from '../pages/sign-up.page.js';
import type { Passwords } from '../passwords.js';
import { Fault } from '../rules/faults.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { HttpExchange, FormFields } from '../storage/exchange.js';
import { enforceLimit } from './password-check.js';
import { passwordProblem } from './password-rules.js';
import { normalizeHandle } from './sign-in.js';
import type { VerifiedAccount } from './sign-in.js';
import type { SignInLimits } from './sign-in-limits.js';

export interface SignUpFaults {
  readonly faults: Readonly<Partial<Record<SignUpField, string>>>;
  readonly problem?: string;
}

export class SignUp {
  constructor(
    private readonly commands: CommandBus,
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    private readonly mails: MailRequests,
    private readonly config: Config,
  ) {}

  /** The way for a person to reach the operators. */
  get contact(): string | undefined {
    return this.config.operatorContact;
  }

  /** True if a sign-up with this address is followed by a mail that asks to confirm it. */
  asksToConfirm(typedEmail: string): boolean {
    return mailDelivery(this.config) !== 'none' && mailboxOf(typedEmail.trim()) !== undefined;
  }

  async isOpen(): Promise<boolean> {
    return (await registrationState(this.store, this.config)).isOpen;
  }

  /** @throws {Fault} `social_authority_required`; errors of the store. */
  async requireOpen(): Promise<void> {
    if (!(await this.isOpen()))
      throw new Fault(
        403,
        'social_authority_required',
        'Sign-up is closed: only the operators create accounts.',
      );
  }

  /**
   * Creates an account from the fields `handle`, `displayName`, `email`, `password`. Returns a message for each wrong
   * field instead. The same form sent again creates no second account. A mail asks if the address is the person's; it alone
   * tells if the address is another account's.
   * @param pageSecret identifies the form: see csrf-protection.ts
   * @param appId the application that sent the person here; undefined: none did
   * @throws {Fault} `social_authority_required`, `pilot_rate_limited`. Also errors of log and store: resending is safe.
   */
  async register(
    exchange: HttpExchange,
    fields: FormFields,
    pageSecret: string,
    appId?: string,
  ): Promise<VerifiedAccount | SignUpFaults> {
    await this.requireOpen();
    // Before the fields are checked, since the check costs CPU time.
    enforceLimit(exchange, await this.limits.takeSignUp(exchange.address));
    const { displayName = '', email: typedEmail = '', password = '' } = fields;
    const person = { handle: normalizeHandle(fields['handle'] ?? ''), displayName, email: typedEmail.trim() };
    const passwordMessage = passwordProblem(password, [person.handle, person.email]);
    const faults = { ...registrationFaults(person), ...(passwordMessage && { password: passwordMessage }) };
    if (Object.keys(faults).length > 0) return { faults };

    const passwordHash = await this.passwords.hash(password);
    const idempotencyKey = JSON.stringify(['sign-up', pageSecret]);
    const account = { ...person, passwordHash, idempotencyKey };
    try {
      const { actorId, created } = await this.commands.execute(
        new CreateAccount(account, pageRequestMetadata(exchange, { appId })),
      );
      const proven = created ? passwordHash : await this.matchingHash(actorId, password);
      if (proven === undefined) return createdBefore;
      // Also when the form is sent again, which it is if this failed before. A used-up quota is not told: the page asks, too.
      if (this.asksToConfirm(person.email) && (await this.limits.takeMail(exchange.address)).allowed)
        await this.mails.add({ kind: 'verification', actorId, address: person.email });
      return { actorId, passwordHash: proven, isNew: created };
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'intent_conflict')) throw error;
      const actorId = await this.digest.actorOf(idempotencyKey);
      const isCreated = await this.store.db.existsBy(AccountRow, { actorId });
      return isCreated ? createdBefore : { faults: { handle: 'This handle is taken; choose another.' } };
    }
  }

  private async matchingHash(actorId: string, password: string): Promise<string | undefined> {
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
    // With a second step, the page of the sign-in asks for it.
    const storedHash = credential?.factors.codes ? undefined : credential?.passwordHash;
    return (await this.passwords.verify(storedHash, password)) ? storedHash : undefined;
  }
}

const createdBefore: SignUpFaults = {
  faults: {},
  problem: 'This page has already created an account with other data. Sign in to that account.',
};
