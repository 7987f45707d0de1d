import {
  giveApproval,
  noApproval,
  evolveApproval,
  requestApproval,
  useApproval,
} from '../../src/domain/approval/approval.js';
import type { Approval } from '../../src/domain/approval/approval.js';
import type { ApprovalEvent } from '../../src/domain/approval/events.js';
import { reserveRestrictions } from '../../src/domain/four-eyes/allowance.js';
import type { AllowanceEvent, FourEyesEvent } from '../../src/domain/four-eyes/events.js';
import {
  evolveFourEyes,
  liftFourEyes,
  noFourEyes,
  requireFourEyes,
} from '../../src/domain/four-eyes/four-eyes.js';
import {
  confirmsAlone,
  handlingOf,
  handlingOfShared,
  mayConfirm,
  mayManage,
} from '../../src/domain/four-eyes/handling.js';
import {
  establishedFrom,
  evolveOrigin,
  lacksConfirmation,
  noOrigin,
} from '../../src/domain/four-eyes/standing.js';
import {
  acceptInvitation,
  changeRoles,
  confirmOperator,
  evolveOperator,
  inviteOperator,
  noOperator,
  reinstateOperator,
  suspendOperator,
} from '../../src/domain/operator/operator.js';
import type { OperatorEvent } from '../../src/domain/operator/operator.js';
import { addsPermission, SHARED_TOKEN } from '../../src/domain/operator/roles.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { Refusal } from '../../src/domain/refusal.js';
import type { Decision } from '../../src/domain/refusal.js';
import type { Act } from '../../src/operator/desk/act.js';
import { isAdmitted } from '../../src/operator/desk/admission.js';
import type { Caller } from '../../src/operator/desk/caller.js';
import { actTable } from '../../src/operator/entrances/table.js';

export const MIN_AGE = 7;
/** Restrictions of one operator without an approval. */
export const ALLOWED = 2;

export type ModelAct =
  | { readonly act: 'account.erase' | 'recovery.apply' | 'four_eyes.turn_off' }
  | { readonly act: 'four_eyes.turn_on'; readonly batchItems: number }
  | { readonly act: 'post.restrict' | 'account.suspend' | 'batch.request'; readonly count: number }
  | { readonly act: 'operator.invite'; readonly roles: readonly Role[] }
  | { readonly act: 'operator.change_roles'; readonly of: string; readonly roles: readonly Role[] }
  | {
      readonly act: 'operator.suspend' | 'operator.reinstate' | 'operator.confirm' | 'operator.enroll';
      readonly of: string;
    }
  | { readonly act: 'approval.give' | 'approval.carry_out'; readonly of: string };

/** `approver` undefined: nobody approved it. */
export interface Effect {
  readonly act: string;
  readonly by: string;
  readonly approver: string | undefined;
}

/** `isApproved`: another operator approved the act of the event. */
type Step = readonly [event: OperatorEvent, isApproved: boolean];

interface Request {
  readonly approval: Approval;
  readonly asked: ModelAct;
}

/** What the log has; nothing in it is changed in place. */
export interface ModelState {
  readonly now: number;
  readonly fourEyes: readonly FourEyesEvent[];
  readonly operators: Readonly<Record<string, readonly Step[]>>;
  /** Operators who lost every credential. */
  readonly lost: readonly string[];
  readonly requests: Readonly<Record<string, Request>>;
  readonly allowances: Readonly<Record<string, readonly AllowanceEvent[]>>;
  readonly effects: readonly Effect[];
}

const rows = new Map(actTable.map((row) => [row.name, row]));
const rowOf = (name: string): Act => {
  const row = rows.get(name);
  if (!row) throw new Error(`there is no act ${name}`);
  return row;
};

export const operatorIn = (state: ModelState, id: string) =>
  (state.operators[id] ?? []).reduce((older, [event]) => evolveOperator(older, event), noOperator);

const originIn = (state: ModelState, id: string) =>
  (state.operators[id] ?? []).reduce(
    (older, [event, isApproved]) => evolveOrigin(older, event, isApproved),
    noOrigin,
  );

const fourEyesIn = ({ fourEyes }: ModelState) => fourEyes.reduce(evolveFourEyes, noFourEyes);

export const isActive = (state: ModelState, id: string): boolean =>
  operatorIn(state, id).status === 'active' && !state.lost.includes(id);

export const isEstablished = (state: ModelState, id: string): boolean =>
  (establishedFrom(originIn(state, id), fourEyesIn(state).since, MIN_AGE) ?? Infinity) <= state.now;

export const established = (state: ModelState, role: Role): readonly string[] =>
  Object.keys(state.operators).filter(
    (id) => isActive(state, id) && isEstablished(state, id) && operatorIn(state, id).roles.includes(role),
  );

const administratorsOf = (state: ModelState): number => established(state, 'administrator').length;

function callerOf(state: ModelState, by: string): Caller {
  if (by === SHARED_TOKEN) return { kind: 'shared', isLimited: true };
  return isActive(state, by)
    ? { kind: 'operator', operatorId: by, roles: operatorIn(state, by).roles }
    : { kind: 'anyone' };
}

/** As the previews decide, for acts that the table covers. */
function hasCoveredEffect(state: ModelState, asked: ModelAct): boolean {
  switch (asked.act) {
    case 'operator.change_roles':
      return addsPermission(operatorIn(state, asked.of).roles, asked.roles);
    case 'operator.reinstate':
      return operatorIn(state, asked.of).isSuspended;
    case 'operator.confirm': {
      const lacks = (byTwo: boolean) =>
        lacksConfirmation(originIn(state, asked.of), fourEyesIn(state).since, byTwo);
      return lacks(true) && !(lacks(false) && confirmsAlone(administratorsOf(state)));
    }
    case 'four_eyes.turn_on':
      return (fourEyesIn(state).batchItems ?? Infinity) < asked.batchItems;
    case 'four_eyes.turn_off':
      return fourEyesIn(state).batchItems !== undefined;
    case 'account.erase':
    case 'recovery.apply':
    case 'post.restrict':
    case 'account.suspend':
    case 'batch.request':
    case 'operator.invite':
    case 'operator.suspend':
    case 'operator.enroll':
    case 'approval.give':
    case 'approval.carry_out':
      return true;
  }
}

/** The state after an act; the same one if it was refused or changed nothing. */
export function perform(state: ModelState, by: string, asked: ModelAct): ModelState {
  const row = rowOf(asked.act);
  if (!isAdmitted(row, callerOf(state, by))) return state;
  if (asked.act === 'approval.give' || asked.act === 'approval.carry_out')
    return decideRequest(state, by, asked.act, asked.of);
  const isOn = fourEyesIn(state).batchItems !== undefined;
  const manager = { isEstablished: isEstablished(state, by) };
  if (isOn && row.endsOperator && !mayManage(manager, administratorsOf(state))) return state;
  const rule = row.approval;
  const limit = fourEyesIn(state).batchItems;
  const input = { ...asked, reseedWitness: true };
  if (!rule || rule.covers?.(input) === false || limit === undefined)
    return execute(state, by, asked, { isCovered: false });
  if ('count' in asked) {
    if (!isEstablished(state, by)) return state;
    const past = state.allowances[by] ?? [];
    const reservation = {
      operatorId: by,
      reservationId: `r${past.length}`,
      count: asked.count,
      at: state.now,
    };
    const reserved = valueOf(reserveRestrictions(past, limit, reservation));
    if (reserved.length > 0)
      return { ...state, allowances: { ...state.allowances, [by]: [...past, ...reserved] } };
    return request(state, by, asked);
  }
  const handling =
    by === SHARED_TOKEN
      ? handlingOfShared(rule.isEmergency?.(input) ?? false, administratorsOf(state))
      : handlingOf({ isEstablished: isEstablished(state, by) });
  if (handling === 'run') return execute(state, by, asked, { isCovered: true });
  if (!hasCoveredEffect(state, asked)) return execute(state, by, asked, { isCovered: false });
  return handling === 'wait' ? request(state, by, asked) : state;
}

function request(state: ModelState, by: string, asked: ModelAct): ModelState {
  const approvalId = `request-${Object.keys(state.requests).length}`;
  const data = {
    approvalId,
    operatorId: by,
    act: asked.act,
    content: '',
    digest: '',
    expiresAt: Infinity,
    at: state.now,
  };
  const approval = applied(noApproval, requestApproval(noApproval, data));
  return { ...state, requests: { ...state.requests, [approvalId]: { approval, asked } } };
}

function decideRequest(
  state: ModelState,
  by: string,
  act: 'approval.give' | 'approval.carry_out',
  approvalId: string,
): ModelState {
  const found = state.requests[approvalId];
  if (!found) return state;
  const { approval, asked } = found;
  const requester = approval.request?.operatorId ?? '';
  const isEntitled = (id: string) =>
    isEstablished(state, id) && isAdmitted(rowOf(asked.act), callerOf(state, id));
  if (!isEntitled(by) || !isEntitled(requester)) return state;
  const change = { approvalId, operatorId: by, at: state.now };
  if (act === 'approval.give') {
    const given = applied(approval, giveApproval(approval, { ...change, digest: '' }));
    return { ...state, requests: { ...state.requests, [approvalId]: { approval: given, asked } } };
  }
  const approver = approval.approverId ?? '';
  if (!isEntitled(approver)) return state;
  const used = applied(approval, useApproval(approval, change));
  if (used === approval) return state;
  const next = { ...state, requests: { ...state.requests, [approvalId]: { approval: used, asked } } };
  return execute(next, by, asked, { isCovered: true, approver });
}

interface Execution {
  readonly isCovered: boolean;
  readonly approver?: string;
}

function execute(
  state: ModelState,
  by: string,
  asked: ModelAct,
  { isCovered, approver }: Execution,
): ModelState {
  const isApproved = approver !== undefined;
  const effects = isCovered ? [...state.effects, { act: asked.act, by, approver }] : state.effects;
  const changed = (id: string, decision: Decision<OperatorEvent>): ModelState => {
    const steps = valueOf(decision).map((event): Step => [event, isApproved]);
    if (steps.length === 0) return state;
    const past = state.operators[id] ?? [];
    return { ...state, effects, operators: { ...state.operators, [id]: [...past, ...steps] } };
  };
  const { now: at } = state;
  const mayRaise = isCovered || fourEyesIn(state).batchItems === undefined;
  switch (asked.act) {
    case 'operator.invite': {
      const operatorId = `new-${Object.keys(state.operators).length}`;
      const needsConfirmation = by === SHARED_TOKEN || !isEstablished(state, by);
      const invitation = { name: operatorId, roles: asked.roles, invitationHash: '', expiresAt: Infinity };
      return changed(
        operatorId,
        inviteOperator(noOperator, { ...invitation, operatorId, at, needsConfirmation }),
      );
    }
    case 'operator.enroll': {
      const enrollment = { operatorId: asked.of, at, invitationHash: '' };
      const enrolled = acceptInvitation(operatorIn(state, asked.of), enrollment);
      return changed(asked.of, enrolled instanceof Refusal ? enrolled : [enrolled]);
    }
    case 'operator.change_roles':
      return changed(
        asked.of,
        changeRoles(operatorIn(state, asked.of), { operatorId: asked.of, at, roles: asked.roles, mayRaise }),
      );
    case 'operator.suspend':
      return changed(asked.of, suspendOperator(operatorIn(state, asked.of), { operatorId: asked.of, at }));
    case 'operator.reinstate':
      return changed(
        asked.of,
        reinstateOperator(operatorIn(state, asked.of), { operatorId: asked.of, at, mayRaise }),
      );
    case 'operator.confirm': {
      if (!mayConfirm({ isEstablished: isEstablished(state, by) }, administratorsOf(state))) return state;
      const isLacking = lacksConfirmation(originIn(state, asked.of), fourEyesIn(state).since, isApproved);
      return changed(
        asked.of,
        confirmOperator(operatorIn(state, asked.of), { operatorId: asked.of, at, by, isLacking }),
      );
    }
    case 'four_eyes.turn_on':
    case 'four_eyes.turn_off': {
      const current = fourEyesIn(state);
      const decision =
        asked.act === 'four_eyes.turn_on'
          ? requireFourEyes(current, { batchItems: asked.batchItems, at, isApproved })
          : liftFourEyes(current, { at, isApproved });
      const added = valueOf(decision);
      return added.length === 0 ? state : { ...state, effects, fourEyes: [...state.fourEyes, ...added] };
    }
    case 'account.erase':
    case 'recovery.apply':
    case 'post.restrict':
    case 'account.suspend':
    case 'batch.request':
    case 'approval.give':
    case 'approval.carry_out':
      return { ...state, effects };
  }
}

function valueOf<Event>(decision: readonly Event[] | Refusal): readonly Event[] {
  return decision instanceof Refusal ? [] : decision;
}

const applied = (approval: Approval, decision: Decision<ApprovalEvent>): Approval =>
  valueOf(decision).reduce(evolveApproval, approval);
