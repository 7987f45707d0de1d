import type { CommandBus } from '@nestjs/cqrs';
import { CancelErasure, RequestErasure } from '../../../commands/account/accounts.js';
import type { Config } from '../../../base/config/config.js';
import { ERASURE_DELAY_DAYS } from '../../../base/config/limit-settings.js';
import type { Confirmation } from '../passkeys/confirmation.js';
import type { SignedIn } from '../sign-in/browser-sessions.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { HttpExchange, FormFields } from '../storage/exchange.js';

const DELAY_MS = ERASURE_DELAY_DAYS * 24 * 60 * 60_000;

export class AccountErasure {
  constructor(
    private readonly commands: CommandBus,
    private readonly confirmation: Confirmation,
    private readonly config: Config,
  ) {}

  /** Hour in UTC in which bytes of erased data are removed from large tables. */
  get largeTablesAt(): number | 'off' {
    return this.config.erasureRewriteHour;
  }

  /**
   * Schedules the erasure of the account, after a check of the password in the field `confirm`, or of a passkey. Returns a
   * message if it is wrong, else undefined.
   * @throws {Fault} `pilot_rate_limited`: too many wrong passwords for this account and browser. Also errors of log and
   * store.
   */
  async request(
    exchange: HttpExchange,
    { account, uid }: SignedIn,
    fields: FormFields,
  ): Promise<string | undefined> {
    const { actorId } = account;
    const problem = await this.confirmation.problem(exchange, { actorId, uid }, fields, fields['confirm']);
    if (problem !== undefined) return problem;
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
