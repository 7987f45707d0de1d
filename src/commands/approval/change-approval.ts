import { Command } from '@nestjs/cqrs';
import {
  concludeApproval,
  giveApproval,
  refuseApproval,
  requestApproval,
  useApproval,
  voidApproval,
} from '../../domain/approval/approval.js';
import type { Approval } from '../../domain/approval/approval.js';
import type { ApprovalEvent } from '../../domain/approval/events.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, Untimed } from '../support/write-side.js';

export type ApprovalStep = Untimed<ApprovalEvent>;

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

export const changeApprovalHandler = handles(ChangeApproval, ({ step, metadata }, write) =>
  write.project(aggregates.approval(step.data.approvalId), metadata, (approval) =>
    decide(approval, step, write.now()),
  ),
);

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
