import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import {
  evolveFourEyes,
  liftFourEyes,
  noFourEyes,
  requireFourEyes,
} from '../../domain/four-eyes/four-eyes.js';
import type { FourEyes } from '../../domain/four-eyes/four-eyes.js';
import type { FourEyesEvent } from '../../domain/four-eyes/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { isApprovalStream, streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';
import { newestEventOf } from '../support/handle-command.js';

/**
 * Sets four-eyes, effective on the next act in any process. `batchItems`: restrictions of one operator in 24 hours without an
 * approval; undefined: off. Idempotent.
 * @throws {Refusal} `intent_conflict`: it would weaken what another operator has set meanwhile; errors of log and store.
 */
export class SetFourEyes extends Command<ChangeResult> {
  constructor(
    readonly batchItems: number | undefined,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetFourEyes)
export class SetFourEyesHandler implements ICommandHandler<SetFourEyes> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ batchItems, metadata }: SetFourEyes): Promise<ChangeResult> {
    const at = this.clock.now();
    const isApproved = isApprovalStream(metadata.cause ?? '');
    return decideAndProject<FourEyes, FourEyesEvent>(this.log, this.ids, this.store, {
      stream: streams.fourEyes(),
      read: newestEventOf,
      initial: noFourEyes,
      evolve: evolveFourEyes,
      decide: (current) =>
        batchItems === undefined
          ? liftFourEyes(current, { at, isApproved })
          : requireFourEyes(current, { batchItems, at, isApproved }),
      metadata,
    });
  }
}
