import { Command } from '@nestjs/cqrs';
import type { Case, CaseEvent } from '../../domain/case/case.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { isApprovalStream, streams } from '../../log/streams.js';
import { aggregates, stateAfter } from './aggregates.js';
import type { WriteSide } from './write-side.js';

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

/** Reads the case with its approvers, decides and appends. @throws {Refusal} and errors of the log */
export async function changeCase(
  { caseId, metadata }: CaseCommand<EventMetadata>,
  write: WriteSide,
  decide: (state: Case, at: number) => Decision<CaseEvent> | Promise<Decision<CaseEvent>>,
): Promise<CaseChange> {
  let approvers: Approvers = new Map();
  const read = async (log: EventLog, stream: string) => {
    const events = (await log.read(stream)) as readonly Recorded<CaseEvent>[];
    approvers = await approversIn(log, events);
    return events;
  };
  const { past, added } = await write.change({ ...aggregates.case(caseId), read }, metadata, (state) =>
    decide(withApprovers(state, approvers), write.now()),
  );
  const { position = 0n } = added.at(-1) ?? past.at(-1) ?? {};
  return { changed: added.length > 0, position };
}

export interface RecordedCase {
  readonly state: Case;
  readonly events: readonly Recorded<CaseEvent>[];
}

/** `before`: as it was at this position of the log; undefined: as it is now. @throws {LogUnavailable} */
export async function readCase(log: EventLog, caseId: string, before?: bigint): Promise<RecordedCase> {
  const recorded = (await log.read(streams.case(caseId))) as readonly Recorded<CaseEvent>[];
  const events = recorded.filter(({ position }) => before === undefined || position < before);
  const state = stateAfter(aggregates.case(caseId), events);
  return { state: withApprovers(state, await approversIn(log, events)), events };
}

/** Operators who approved decisions, by the ids of these. */
type Approvers = ReadonlyMap<string, string>;

async function approversIn(log: EventLog, events: readonly Recorded<CaseEvent>[]): Promise<Approvers> {
  const approvers = new Map<string, string>();
  for (const { event, metadata } of events) {
    const { cause = '' } = metadata;
    if (event.type !== 'case.decided' || !isApprovalStream(cause)) continue;
    const { approverId } = stateAfter(aggregates.approval(''), await log.read(cause));
    if (approverId !== undefined) approvers.set(event.data.decisionId, approverId);
  }
  return approvers;
}

function withApprovers(state: Case, approvers: Approvers): Case {
  if (state.status === 'none' || approvers.size === 0) return state;
  const decisions = state.decisions.map((each) => ({ ...each, approverId: approvers.get(each.decisionId) }));
  return { ...state, decisions };
}
