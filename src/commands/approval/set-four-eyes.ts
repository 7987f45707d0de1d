import { Command } from '@nestjs/cqrs';
import { liftFourEyes, requireFourEyes } from '../../domain/four-eyes/four-eyes.js';
import type { EventMetadata } from '../../log/recorded.js';
import { isApprovalStream } from '../../log/streams.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult } from '../support/write-side.js';

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

export const setFourEyesHandler = handles(SetFourEyes, ({ batchItems, metadata }, write) => {
  const at = write.now();
  const isApproved = isApprovalStream(metadata.cause ?? '');
  return write.project(aggregates.fourEyes(), metadata, (current) =>
    batchItems === undefined
      ? liftFourEyes(current, { at, isApproved })
      : requireFourEyes(current, { batchItems, at, isApproved }),
  );
});
