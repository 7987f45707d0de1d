import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type {
  ApprovalCarriedOut,
  ApprovalEvent,
  ApprovalGiven,
  ApprovalRefused,
  ApprovalRequested,
  ApprovalUsed,
  ApprovalVoided,
} from './events.js';

/** From the request on. */
export const APPROVAL_MS = 24 * 60 * 60_000;

export interface Approval {
  readonly status: 'absent' | 'waiting' | 'given' | 'refused' | 'voided' | 'used' | 'carried_out';
  readonly request: ApprovalRequested['data'] | undefined;
  readonly approverId: string | undefined;
}

export const noApproval: Approval = { status: 'absent', request: undefined, approverId: undefined };

const statuses = {
  'approval.requested': 'waiting',
  'approval.given': 'given',
  'approval.refused': 'refused',
  'approval.voided': 'voided',
  'approval.used': 'used',
  'approval.carried_out': 'carried_out',
} as const;

export function evolveApproval(approval: Approval, { type, data }: ApprovalEvent): Approval {
  const status = statuses[type];
  if (type === 'approval.requested') return { ...approval, status, request: data };
  return type === 'approval.given'
    ? { ...approval, status, approverId: data.operatorId }
    : { ...approval, status };
}

export interface ApprovalChange {
  readonly approvalId: string;
  readonly operatorId: string;
  readonly at: number;
}

export const requestApproval = (
  { status }: Approval,
  data: ApprovalRequested['data'],
): Decision<ApprovalRequested> => (status === 'absent' ? [{ type: 'approval.requested', data }] : []);

/** `digest`: of the preview that the approving operator read. */
export function giveApproval(
  approval: Approval,
  { digest, ...change }: ApprovalChange & { readonly digest: string },
): Decision<ApprovalGiven> {
  const { request, status } = approval;
  if (!request) return unknownApproval();
  if (request.operatorId === change.operatorId)
    return new Refusal('not_owner', 'Nobody approves a request of their own: another operator must do it.');
  const over = overBy(approval, change.at);
  if (over) return over;
  if (digest !== request.digest)
    return new Refusal('effect_mismatch', 'This is not the digest of the request: read its preview again.');
  return status === 'waiting' ? [{ type: 'approval.given', data: { ...change, digest } }] : [];
}

/** The requester's own refusal withdraws the request. */
export function refuseApproval(approval: Approval, change: ApprovalChange): Decision<ApprovalRefused> {
  if (approval.status === 'absent') return unknownApproval();
  if (approval.status === 'refused') return [];
  const over = overBy(approval, change.at);
  if (over) return over;
  if (approval.status === 'used')
    return new Refusal('intent_conflict', 'It is too late: the act is being executed.');
  return [{ type: 'approval.refused', data: change }];
}

export function voidApproval({ status }: Approval, change: ApprovalChange): Decision<ApprovalVoided> {
  const isOpen = status === 'waiting' || status === 'given' || status === 'used';
  return isOpen ? [{ type: 'approval.voided', data: change }] : [];
}

/** Empty: it is used already, and the act is resumed. */
export function useApproval(approval: Approval, change: ApprovalChange): Decision<ApprovalUsed> {
  const { request, status } = approval;
  if (!request) return unknownApproval();
  if (request.operatorId !== change.operatorId)
    return new Refusal('not_owner', 'Only the operator who requested the act executes it.');
  const over = overBy(approval, change.at);
  if (over) return over;
  if (status === 'waiting')
    return new Refusal('intent_conflict', 'It waits: no other operator has approved it yet.');
  return status === 'given' ? [{ type: 'approval.used', data: change }] : [];
}

/** A second execution at the same time may be refused, and have voided it. */
export const concludeApproval = (
  { status }: Approval,
  change: ApprovalChange,
): Decision<ApprovalCarriedOut> =>
  status === 'used' || status === 'voided' ? [{ type: 'approval.carried_out', data: change }] : [];

function overBy({ status, request }: Approval, at: number): Refusal | undefined {
  if (status === 'refused')
    return new Refusal('intent_conflict', 'This request was refused. Request it anew.');
  if (status === 'carried_out') return executedAlready();
  if (status === 'voided')
    return new Refusal(
      'effect_mismatch',
      'The act was refused, or would do something else by now. Request it anew.',
    );
  if (request && request.expiresAt <= at)
    return new Refusal(
      'intent_conflict',
      'This request has expired: each is valid for a day. Request it anew.',
    );
  return undefined;
}

export const executedAlready = (): Refusal =>
  new Refusal('intent_conflict', 'It was executed already, once.');

const unknownApproval = (): Refusal => new Refusal('not_found', 'There is no such request.');
