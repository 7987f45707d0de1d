import { Injectable } from '@nestjs/common';
import { Command } from '@nestjs/cqrs';
import { evolveCase, noCase } from '../../domain/case/case.js';
import type { Case, CaseEvent } from '../../domain/case/case.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../support/clock.js';
import { handleCommand } from '../support/handle-command.js';
import { IdGenerator } from '../support/id-generator.js';

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
    const { past, added } = await handleCommand<Case, CaseEvent>(this.log, this.ids, {
      stream: streams.case(asked.caseId),
      initial: noCase,
      evolve: evolveCase,
      decide: (state) => this.decide(state, asked, this.clock.now()),
      metadata: asked.metadata,
    });
    const { position = 0n } = added.at(-1) ?? past.at(-1) ?? {};
    return { changed: added.length > 0, position };
  }

  protected abstract decide(state: Case, asked: Asked, at: number): Decision<CaseEvent>;
}

export interface RecordedCase {
  readonly state: Case;
  readonly events: readonly Recorded<CaseEvent>[];
}

/** @throws {LogUnavailable} */
export async function readCase(log: EventLog, caseId: string): Promise<RecordedCase> {
  const events = (await log.read(streams.case(caseId))) as readonly Recorded<CaseEvent>[];
  return { state: events.reduce((state, { event }) => evolveCase(state, event), noCase), events };
}
