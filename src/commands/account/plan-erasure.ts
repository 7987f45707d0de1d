import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { cancelErasure, evolveAccount, noAccount, requestErasure } from '../../domain/account/account.js';
import type { AccountEvent } from '../../domain/account/account.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideLifecycle } from '../support/decide-lifecycle.js';
import type { LifecycleChange } from '../support/write-side.js';

export interface PlannedErasure extends LifecycleChange {
  readonly erasesAt: number;
}

/**
 * Plans the erasure of an account after `delayMs`. An erasure already planned keeps its time. Returns the time, Unix
 * ms.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`; errors of log and store.
 */
export class RequestErasure extends Command<PlannedErasure> {
  constructor(
    readonly actorId: string,
    readonly delayMs: number,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/**
 * Cancels a planned erasure that has not happened yet.
 * @throws {Refusal} `not_found`: the account is unknown or erased; errors of log and store.
 */
export class CancelErasure extends Command<LifecycleChange> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RequestErasure)
export class RequestErasureHandler implements ICommandHandler<RequestErasure> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ actorId, delayMs, metadata, expected }: RequestErasure): Promise<PlannedErasure> {
    const at = this.clock.now();
    let erasesAt = at + delayMs;
    const change = await decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.account(actorId),
      initial: noAccount,
      evolve: (account, event: AccountEvent) => evolveAccount(account, event),
      decide: (account) => {
        if ('erasesAt' in account) erasesAt = account.erasesAt ?? erasesAt;
        return requestErasure(account, { actorId, at, erasesAt, ...expected });
      },
      metadata,
    });
    return { ...change, erasesAt };
  }
}

@CommandHandler(CancelErasure)
export class CancelErasureHandler implements ICommandHandler<CancelErasure> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ actorId, metadata }: CancelErasure): Promise<LifecycleChange> {
    return decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.account(actorId),
      initial: noAccount,
      evolve: (account, event: AccountEvent) => evolveAccount(account, event),
      decide: (account) => cancelErasure(account, { actorId, at: this.clock.now() }),
      metadata,
    });
  }
}
