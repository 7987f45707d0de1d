import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveAccount, noAccount, reinstateAccount, suspendAccount } from '../../domain/account/account.js';
import type { Account, AccountEvent, AccountChange } from '../../domain/account/account.js';
import type { ExpectedLifecycle, RestrictionSource } from '../../domain/lifecycle.js';
import type { Decision, Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Recusals, withRecusal } from '../support/recusals.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideLifecycle } from '../support/decide-lifecycle.js';
import type { LifecycleChange } from '../support/write-side.js';
import { isOfItsOwn } from '../support/restriction-source.js';

/**
 * Suspends an account, effective on its next request to any process. Idempotent.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`, `not_owner`: another operator must suspend it; errors of
 * log and store.
 */
export class SuspendAccount extends Command<LifecycleChange> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/** Reinstates an account: grants and sessions that did not end meanwhile are valid again. */
export class ReinstateAccount extends Command<LifecycleChange> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

@Injectable()
abstract class AccountStateHandler {
  protected abstract readonly decide: (
    account: Account,
    change: AccountChange & ExpectedLifecycle & RestrictionSource,
  ) => Decision<AccountEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
    protected readonly recusals: Recusals,
  ) {}

  /** The reason against a change of the account by this operator; undefined: they may change it. */
  protected recusal(_asked: SuspendAccount | ReinstateAccount): Promise<Refusal | undefined> {
    return Promise.resolve(undefined);
  }

  execute(asked: SuspendAccount | ReinstateAccount): Promise<LifecycleChange> {
    const { actorId, metadata, expected } = asked;
    return decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.account(actorId),
      initial: noAccount,
      evolve: evolveAccount,
      decide: withRecusal<Account, AccountEvent>(
        () => this.recusal(asked),
        (account, past) =>
          this.decide(account, {
            actorId,
            at: this.clock.now(),
            isOfItsOwn: isOfItsOwn(past, 'account.suspended', metadata),
            ...expected,
          }),
      ),
      metadata,
    });
  }
}

@CommandHandler(SuspendAccount)
export class SuspendAccountHandler extends AccountStateHandler implements ICommandHandler<SuspendAccount> {
  protected readonly decide = suspendAccount;

  protected override recusal({ actorId, metadata }: SuspendAccount): Promise<Refusal | undefined> {
    return this.recusals.ofActor(actorId, metadata);
  }
}

@CommandHandler(ReinstateAccount)
export class ReinstateAccountHandler
  extends AccountStateHandler
  implements ICommandHandler<ReinstateAccount>
{
  protected readonly decide = reinstateAccount;
}
