import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import {
  concludeApproval,
  evolveApproval,
  giveApproval,
  noApproval,
  refuseApproval,
  requestApproval,
  useApproval,
  voidApproval,
} from '../../domain/approval/approval.js';
import type { Approval } from '../../domain/approval/approval.js';
import type { ApprovalEvent } from '../../domain/approval/events.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';

type WithoutTime<Data> = Data extends unknown ? Omit<Data, 'at'> : never;

export type ApprovalStep = {
  [Type in ApprovalEvent['type']]: {
    readonly type: Type;
    readonly data: WithoutTime<Extract<ApprovalEvent, { type: Type }>['data']>;
  };
}[ApprovalEvent['type']];

/**
 * One step of an approval. Idempotent.
 * @throws {Refusal} `not_found`, `not_owner`, `intent_conflict`, `effect_mismatch`; errors of log and store.
 */
export class ChangeApproval extends Command<ChangeResult> {
  constructor(
    readonly step: ApprovalStep,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@Injectable()
@CommandHandler(ChangeApproval)
export class ChangeApprovalHandler implements ICommandHandler<ChangeApproval> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ step, metadata }: ChangeApproval): Promise<ChangeResult> {
    return decideAndProject<Approval, ApprovalEvent>(this.log, this.ids, this.store, {
      stream: streams.approval(step.data.approvalId),
      initial: noApproval,
      evolve: evolveApproval,
      decide: (approval) => decide(approval, step, this.clock.now()),
      metadata,
    });
  }
}

function decide(approval: Approval, { type, data }: ApprovalStep, at: number): Decision<ApprovalEvent> {
  switch (type) {
    case 'approval.requested':
      return requestApproval(approval, { ...data, at });
    case 'approval.given':
      return giveApproval(approval, { ...data, at });
    case 'approval.refused':
      return refuseApproval(approval, { ...data, at });
    case 'approval.voided':
      return voidApproval(approval, { ...data, at });
    case 'approval.used':
      return useApproval(approval, { ...data, at });
    case 'approval.carried_out':
      return concludeApproval(approval, { ...data, at });
  }
}
