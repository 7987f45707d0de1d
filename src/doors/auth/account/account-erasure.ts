import type { CommandBus } from '@nestjs/cqrs';
import { CancelErasure, RequestErasure } from '../../../commands/account/accounts.js';
import type { Config } from '../../../base/config/config.js';
import { ERASURE_DELAY_DAYS } from '../../../base/config/limit-settings.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { Passwords } from '../passwords.js';
import type { SignedIn } from '../sign-in/browser-sessions.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { HttpExchange, FormFields } from '../storage/exchange.js';
import { enforceLimit } from '../sign-in/password-check.js';
import type { SignInLimits } from '../sign-in/sign-in-limits.js';

const DELAY_MS = ERASURE_DELAY_DAYS * 24 * 60 * 60_000;

export class AccountErasure {
  constructor(
    private readonly commands: CommandBus,
    private readonly store: AuthorityStore,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    private readonly config: Config,
  ) {}

  /** Hour in UTC in which bytes of erased data are removed from large tables. */
  get largeTablesAt(): number | 'off' {
    return this.config.erasureRewriteHour;
  }

  /**
   * Schedules the erasure of the account, after a check of the password in the field `confirm`. Returns a message if
   * the password is wrong, else undefined.
   * @throws {Fault} `pilot_rate_limited`: too many wrong passwords for this account and browser. Also errors of log and
   * store.
   */
  async request(
    exchange: HttpExchange,
    { account, uid }: SignedIn,
    fields: FormFields,
  ): Promise<string | undefined> {
    const { confirm = '' } = fields;
    const { actorId } = account;
    enforceLimit(exchange, await this.limits.takePasswordConfirmation({ actorId, uid }));
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId });
    if (!(await this.passwords.verify(credential?.passwordHash, confirm)))
      return 'That is not your password.';
    await this.limits.refundPasswordConfirmation({ actorId, uid });
    await this.commands.execute(
      new RequestErasure(actorId, DELAY_MS, pageRequestMetadata(exchange, { actorId })),
    );
    return undefined;
  }

  /**
   * Cancels the scheduled erasure.
   * @throws {Refusal} `not_found`: the account is already erased. Also errors of log and store.
   */
  async cancel(exchange: HttpExchange, { account: { actorId } }: SignedIn): Promise<void> {
    await this.commands.execute(new CancelErasure(actorId, pageRequestMetadata(exchange, { actorId })));
  }
}
