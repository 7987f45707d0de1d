import { z } from 'zod';
import { event, id, inData, omitted, personal, time } from '../event.js';
import type { EventIn } from '../event.js';

const approval = { approvalId: omitted(id), operatorId: omitted(id) };
const ofApproval = event(approval);
const digest = omitted(z.string());

export const approvalEvents = {
  /**
   * An operator wants to do an act that needs an approval. `content`: JSON of its parameters and preview. It may name a
   * person, so it is encrypted, under a key of the approval's own. `digest`: SHA-256 of act and content, in hex.
   */
  'approval.requested': event(
    {
      ...approval,
      act: inData(z.string()),
      content: personal(z.string(), ''),
      digest,
      expiresAt: inData(time),
    },
    { person: 'approvalId' },
  ),
  'approval.given': event({ ...approval, digest }),
  /** Another operator refused it, or the requester withdrew it. */
  'approval.refused': ofApproval,
  /** The act would now do something else than its preview showed, or was refused when it was executed. */
  'approval.voided': ofApproval,
  /** The requester executes the act. It follows, also if a killed process leaves it in doubt; or it is refused. */
  'approval.used': ofApproval,
  'approval.carried_out': ofApproval,
};

export type ApprovalRequested = EventIn<typeof approvalEvents, 'approval.requested'>;
export type ApprovalGiven = EventIn<typeof approvalEvents, 'approval.given'>;
export type ApprovalRefused = EventIn<typeof approvalEvents, 'approval.refused'>;
export type ApprovalVoided = EventIn<typeof approvalEvents, 'approval.voided'>;
export type ApprovalUsed = EventIn<typeof approvalEvents, 'approval.used'>;
export type ApprovalCarriedOut = EventIn<typeof approvalEvents, 'approval.carried_out'>;
export type ApprovalEvent = EventIn<typeof approvalEvents>;
