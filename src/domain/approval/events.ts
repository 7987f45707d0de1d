import type { DomainEvent, EventTime } from '../event.js';

type ApprovalData = { readonly approvalId: string; readonly operatorId: string } & EventTime;

/**
 * An operator wants to do an act that needs an approval. `content`: JSON of its parameters and preview. It may name a
 * person, so it is encrypted, under a key of the approval's own. `digest`: SHA-256 of act and content, in hex.
 */
export type ApprovalRequested = DomainEvent<
  'approval.requested',
  {
    readonly act: string;
    readonly content: string;
    readonly digest: string;
    readonly expiresAt: number;
  } & ApprovalData
>;

export type ApprovalGiven = DomainEvent<'approval.given', { readonly digest: string } & ApprovalData>;

/** Another operator refused it, or the requester withdrew it. */
export type ApprovalRefused = DomainEvent<'approval.refused', ApprovalData>;

/** The act would now do something else than its preview showed, or was refused when it was executed. */
export type ApprovalVoided = DomainEvent<'approval.voided', ApprovalData>;

/** The requester executes the act. It follows, also if a killed process leaves it in doubt; or it is refused. */
export type ApprovalUsed = DomainEvent<'approval.used', ApprovalData>;

export type ApprovalCarriedOut = DomainEvent<'approval.carried_out', ApprovalData>;

export type ApprovalEvent =
  ApprovalRequested | ApprovalGiven | ApprovalRefused | ApprovalVoided | ApprovalUsed | ApprovalCarriedOut;
