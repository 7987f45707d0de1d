import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { batchIdOf, caseIdOf } from '../../log/streams.js';
import { readCase } from '../support/case-command.js';

/**
 * True if what restricted a post or an account no longer stands: the decision was overturned, or its batch undone, which
 * leaves a subject to a later decision; or a restored log has lost the decision.
 * @throws {LogUnavailable}
 */
export async function isOverturned(
  log: EventLog,
  { metadata: { cause = '', decisionId } }: Recorded,
): Promise<boolean> {
  const caseId = caseIdOf(cause);
  if (caseId !== undefined) {
    const { state } = await readCase(log, caseId);
    const decision =
      state.status === 'none' ? undefined : state.decisions.find((each) => each.decisionId === decisionId);
    return decision === undefined || decision.appeal === 'overturned';
  }
  // Not the first event of a batch, which has all items.
  const after = batchIdOf(cause) !== undefined ? await log.read(cause, { from: 1n }) : [];
  return after.some(({ event }) => event.type === 'batch.undo_requested');
}
