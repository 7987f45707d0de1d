import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveAccount, noAccount, reinstateAccount, suspendAccount } from '../domain/account/account.js';
import type { Account, AccountEvent, OfAccount } from '../domain/account/account.js';
import type { Decision } from '../domain/refusal.js';
import { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { Clock, Ids } from './ambient.js';
import { decideAtOnce } from './decide-at-once.js';
import type { Change } from './decide-at-once.js';

/** Takes an account's authority away: from the next request on, on every process. Repeating it changes nothing. */
export class SuspendAccount extends Command<Change> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** Gives the authority back, as it was: grants and sessions that did not end meanwhile work again. */
export class ReinstateAccount extends Command<Change> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@Injectable()
abstract class AccountStateHandler {
  protected abstract readonly decide: (account: Account, of: OfAccount) => Decision<AccountEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: Ids,
  ) {}

  /** @throws {Refusal} `not_found`; what log and store throw. */
  execute({ actorId, metadata }: SuspendAccount | ReinstateAccount): Promise<Change> {
    return decideAtOnce(this.log, this.ids, this.store, {
      stream: streams.account(actorId),
      initial: noAccount,
      evolve: evolveAccount,
      decide: (account) => this.decide(account, { actorId, at: this.clock.now() }),
      metadata,
    });
  }
}

@CommandHandler(SuspendAccount)
export class SuspendAccountHandler extends AccountStateHandler implements ICommandHandler<SuspendAccount> {
  protected readonly decide = suspendAccount;
}

@CommandHandler(ReinstateAccount)
export class ReinstateAccountHandler
  extends AccountStateHandler
  implements ICommandHandler<ReinstateAccount>
{
  protected readonly decide = reinstateAccount;
}
