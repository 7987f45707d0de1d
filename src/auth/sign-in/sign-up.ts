import type { CommandBus } from '@nestjs/cqrs';
import { CreateAccount } from '../../commands/account/create-account.js';
import type { HandleDigest } from '../../commands/support/handle-digest.js';
import type { Config } from '../../config/config.js';
import { faultsIn } from '../../domain/account/account.js';
import { Refusal } from '../../domain/refusal.js';
import { AccountRow } from '../../store/authority/account.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { CredentialRow } from '../../store/authority/credential.row.js';
import type { SignUpField } from '../pages/sign-up.page.js';
import type { Passwords } from '../passwords.js';
import { Fault } from '../protocol/faults.js';
import { metadataOf } from './exchange.js';
import type { Exchange, Fields } from './exchange.js';
import { admit } from './password-check.js';
import { passwordFault } from './password-rules.js';
import { handleOf } from './sign-in.js';
import type { Proven } from './sign-in.js';
import type { SignInLimits } from './sign-in-limits.js';

/** What a person has to change before there is an account. */
export interface SignUpFaults {
  readonly faults: Readonly<Partial<Record<SignUpField, string>>>;
  readonly problem?: string;
}

/** Makes accounts for people who come by themselves. */
export class SignUp {
  /** Whether people may make accounts at all. */
  readonly isOpen: boolean;

  constructor(
    private readonly commands: CommandBus,
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    { registration }: Config,
  ) {
    this.isOpen = registration === 'open';
  }

  /** @throws {Fault} they may not. */
  requireOpen(): void {
    if (!this.isOpen)
      throw new Fault(
        403,
        'social_authority_required',
        'New accounts are made by the operator of this network.',
      );
  }

  /**
   * Fields `handle`, `displayName`, `email`, `password`. The same form sent again makes no second account.
   * @param pageSecret of the page that the form was on (see form-guard.ts).
   * @throws {Fault} closed, or `pilot_rate_limited`; whatever log and store throw: then sending the form again goes on.
   */
  async register(exchange: Exchange, fields: Fields, pageSecret: string): Promise<Proven | SignUpFaults> {
    this.requireOpen();
    // Before the fields are looked at: looking is work, too.
    admit(exchange, await this.limits.takeSignUp(exchange.address));
    const { displayName = '', email: typedEmail = '', password = '' } = fields;
    const person = { handle: handleOf(fields['handle'] ?? ''), displayName, email: typedEmail.trim() };
    const ofPassword = passwordFault(password, [person.handle, person.email]);
    const faults = { ...faultsIn(person), ...(ofPassword && { password: ofPassword }) };
    if (Object.keys(faults).length > 0) return { faults };

    const passwordHash = await this.passwords.hash(password);
    const idempotencyKey = JSON.stringify(['sign-up', pageSecret]);
    const account = { ...person, passwordHash, idempotencyKey };
    try {
      const { actorId, created } = await this.commands.execute(
        new CreateAccount(account, metadataOf(exchange)),
      );
      const proven = created ? passwordHash : await this.provenBy(actorId, password);
      return proven === undefined ? otherData : { actorId, passwordHash: proven };
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'intent_conflict')) throw error;
      const actorId = await this.digest.actorOf(idempotencyKey);
      const isMade = await this.store.db.existsBy(AccountRow, { actorId });
      return isMade ? otherData : { faults: { handle: 'Somebody has this handle; choose another.' } };
    }
  }

  /** What is kept of the password, if it is this one. */
  private async provenBy(actorId: string, password: string): Promise<string | undefined> {
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
    const known = credential?.passwordHash;
    return (await this.passwords.verify(known, password)) ? known : undefined;
  }
}

const otherData: SignUpFaults = {
  faults: {},
  problem: 'An account was made from this page before, with other data. Sign in to it.',
};
