import { Command } from '@nestjs/cqrs';
import { lacksConfirmation } from '../../domain/four-eyes/standing.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import {
  changeRoles,
  confirmOperator,
  reinstateOperator,
  suspendOperator,
} from '../../domain/operator/operator.js';
import type { OperatorEvent, Raising } from '../../domain/operator/operator.js';
import type { Role } from '../../domain/operator/roles.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { isApprovalStream } from '../../log/streams.js';
import { aggregates, stateAfter } from '../support/aggregates.js';
import { isChange } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, LifecycleChange } from '../support/write-side.js';
import { OperatorNames } from './operator-names.js';
import { originIn } from './origin.js';

/**
 * Each is effective on the operator's next request to any process, and idempotent.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`; errors of log and store.
 */
export class SuspendOperator extends Command<LifecycleChange> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/**
 * Tokens that were neither revoked nor expired meanwhile are valid again.
 * @throws {Refusal} `intent_conflict`: another operator has the name meanwhile.
 */
export class ReinstateOperator extends Command<LifecycleChange> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle & Raising = {},
  ) {
    super();
  }
}

/** `expected.roles`: all roles from now on. */
export class ChangeOperatorRoles extends Command<LifecycleChange> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle & Raising & { readonly roles: readonly Role[] },
  ) {
    super();
  }
}

/**
 * Confirms an operator who joined without a second person. Idempotent. `since`: when four-eyes was turned on, `Infinity` while
 * it is off.
 * @throws {Refusal} `not_found`, `not_owner` for one's own invitation; errors of log and store.
 */
export class ConfirmOperator extends Command<ChangeResult> {
  constructor(
    readonly operatorId: string,
    readonly confirmation: { readonly by: string; readonly since: number },
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const operatorHandlers = [
  handles(SuspendOperator, ({ operatorId, metadata, expected }, write) =>
    write.lifecycle(aggregates.operator(operatorId), metadata, (operator) =>
      suspendOperator(operator, { operatorId, at: write.now(), ...expected }),
    ),
  ),

  handles(
    ReinstateOperator,
    { names: OperatorNames },
    ({ operatorId, metadata, expected }, write, { names }) => {
      const aggregate = aggregates.operator(operatorId);
      const decide = (operator: typeof aggregate.initial) =>
        reinstateOperator(operator, { operatorId, at: write.now(), ...expected });
      // Reserves the name before each attempt, for the revision that its append expects.
      const read = async (log: EventLog, stream: string) => {
        const past = (await log.read(stream)) as readonly Recorded<OperatorEvent>[];
        const name = past
          .flatMap(({ event }) => (event.type === 'operator.invited' ? event.data.name : []))
          .at(-1);
        if (name && isChange(decide(stateAfter(aggregate, past)))) {
          const revision = Number(past.at(-1)?.revision ?? -1);
          await names.reserve(name, { operatorId, revision, mayFinish: false }, metadata);
        }
        return past;
      };
      return write.lifecycle({ ...aggregate, read }, metadata, decide);
    },
  ),

  handles(ChangeOperatorRoles, ({ operatorId, metadata, expected }, write) =>
    write.lifecycle(aggregates.operator(operatorId), metadata, (operator) =>
      changeRoles(operator, { operatorId, at: write.now(), ...expected }),
    ),
  ),

  handles(ConfirmOperator, ({ operatorId, confirmation: { by, since }, metadata }, write) =>
    write.project(aggregates.operator(operatorId), metadata, (operator, past) => {
      const isLacking = lacksConfirmation(originIn(past), since, isApprovalStream(metadata.cause ?? ''));
      return confirmOperator(operator, { operatorId, at: write.now(), by, isLacking });
    }),
  ),
];
