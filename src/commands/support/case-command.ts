import { Injectable } from '@nestjs/common';
import { Command } from '@nestjs/cqrs';
import { evolveApproval, noApproval } from '../../domain/approval/approval.js';
import type { ApprovalEvent } from '../../domain/approval/events.js';
import { evolveCase, noCase } from '../../domain/case/case.js';
import type { Case, CaseEvent } from '../../domain/case/case.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { isApprovalStream, streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { handleCommand } from './handle-command.js';
import { IdGenerator } from '../../base/support/id-generator.js';

/** `position`: of the newest event of the case. */
export interface CaseChange {
  readonly changed: boolean;
  readonly position: bigint;
}

/** Metadata of an act with a personal token. */
export type OperatorMetadata = EventMetadata & { readonly operatorId: string };

/** Idempotent, unless it says otherwise. @throws {Refusal} and errors of the log. */
export abstract class CaseCommand<
  Metadata extends EventMetadata = OperatorMetadata,
> extends Command<CaseChange> {
  constructor(
    readonly caseId: string,
    readonly metadata: Metadata,
  ) {
    super();
  }
}

@Injectable()
export abstract class CaseHandler<Asked extends CaseCommand<EventMetadata>> {
  constructor(
    protected readonly log: EventLog,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  async execute(asked: Asked): Promise<CaseChange> {
    let approvers: Approvers = new Map();
    const { past, added } = await handleCommand<Case, CaseEvent>(this.log, this.ids, {
      stream: streams.case(asked.caseId),
      read: async (log, stream) => {
        const events = (await log.read(stream)) as readonly Recorded<CaseEvent>[];
        approvers = await approversIn(log, events);
        return events;
      },
      initial: noCase,
      evolve: evolveCase,
      decide: (state) => this.decide(withApprovers(state, approvers), asked, this.clock.now()),
      metadata: asked.metadata,
    });
    const { position = 0n } = added.at(-1) ?? past.at(-1) ?? {};
    return { changed: added.length > 0, position };
  }

  protected abstract decide(
    state: Case,
    asked: Asked,
    at: number,
  ): Decision<CaseEvent> | Promise<Decision<CaseEvent>>;
}

export interface RecordedCase {
  readonly state: Case;
  readonly events: readonly Recorded<CaseEvent>[];
}

/** `before`: as it was at this position of the log; undefined: as it is now. @throws {LogUnavailable} */
export async function readCase(log: EventLog, caseId: string, before?: bigint): Promise<RecordedCase> {
  const recorded = (await log.read(streams.case(caseId))) as readonly Recorded<CaseEvent>[];
  const events = recorded.filter(({ position }) => before === undefined || position < before);
  const state = events.reduce((older, { event }) => evolveCase(older, event), noCase);
  return { state: withApprovers(state, await approversIn(log, events)), events };
}

/** Operators who approved decisions, by the ids of these. */
type Approvers = ReadonlyMap<string, string>;

async function approversIn(log: EventLog, events: readonly Recorded<CaseEvent>[]): Promise<Approvers> {
  const approvers = new Map<string, string>();
  for (const { event, metadata } of events) {
    const { cause = '' } = metadata;
    if (event.type !== 'case.decided' || !isApprovalStream(cause)) continue;
    const approval = (await log.read(cause)).reduce(
      (older, each) => evolveApproval(older, each.event as ApprovalEvent),
      noApproval,
    );
    if (approval.approverId !== undefined) approvers.set(event.data.decisionId, approval.approverId);
  }
  return approvers;
}

function withApprovers(state: Case, approvers: Approvers): Case {
  if (state.status === 'none' || approvers.size === 0) return state;
  const decisions = state.decisions.map((each) => ({ ...each, approverId: approvers.get(each.decisionId) }));
  return { ...state, decisions };
}
