import { Command } from '@nestjs/cqrs';
import {
  cancelErasure,
  reinstateAccount,
  requestErasure,
  suspendAccount,
} from '../../domain/account/account.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { addsGround } from '../support/grounds.js';
import { handles } from '../support/handles.js';
import { Recusals, withRecusal } from '../support/recusals.js';
import type { LifecycleChange } from '../support/write-side.js';

abstract class StateCommand extends Command<LifecycleChange> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/**
 * Suspends an account, effective on its next request to any process. Idempotent.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`, `not_owner`: another operator must suspend it; errors of
 * log and store.
 */
export class SuspendAccount extends StateCommand {}

/** Reinstates an account: grants and sessions that did not end meanwhile are valid again. */
export class ReinstateAccount extends StateCommand {}

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

export const accountHandlers = [
  handles(SuspendAccount, { recusals: Recusals }, ({ actorId, metadata, expected }, write, { recusals }) =>
    write.lifecycle(
      aggregates.account(actorId),
      metadata,
      withRecusal(
        () => recusals.ofActor(actorId, metadata),
        (account, past) =>
          suspendAccount(account, {
            actorId,
            at: write.now(),
            addsGround: addsGround(past, metadata),
            ...expected,
          }),
      ),
    ),
  ),

  handles(ReinstateAccount, ({ actorId, metadata, expected }, write) =>
    write.lifecycle(aggregates.account(actorId), metadata, (account) =>
      reinstateAccount(account, { actorId, at: write.now(), ...expected }),
    ),
  ),

  handles(RequestErasure, async ({ actorId, delayMs, metadata, expected }, write) => {
    const at = write.now();
    let erasesAt = at + delayMs;
    const change = await write.lifecycle(aggregates.account(actorId), metadata, (account) => {
      if ('erasesAt' in account) erasesAt = account.erasesAt ?? erasesAt;
      return requestErasure(account, { actorId, at, erasesAt, ...expected });
    });
    return { ...change, erasesAt };
  }),

  handles(CancelErasure, ({ actorId, metadata }, write) =>
    write.lifecycle(aggregates.account(actorId), metadata, (account) =>
      cancelErasure(account, { actorId, at: write.now() }),
    ),
  ),
];
