import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { OperatorNameReserved } from './events.js';
import type { Operator } from './operator.js';

/** `revision`: of the newest event in the operator's stream, after which alone they may be invited or reinstated; -1: none. */
export interface NameReservation {
  readonly operatorId: string;
  readonly revision: number;
}

export interface NameHolder {
  readonly revision: number;
  readonly status: Operator['status'];
}

/** `mayFinish`: an invitation by another process that never came to its end may be finished in place of a new one. */
export interface WantedName extends NameReservation {
  readonly mayFinish: boolean;
  readonly at: number;
}

/**
 * Reserves a name. While the stream of its holder is as their reservation found it, the invitation or reinstatement that
 * they made it for may still follow; later it cannot any more, and their state decides.
 */
export function reserveName(
  held: NameReservation | undefined,
  holder: NameHolder,
  { mayFinish, ...wanted }: WantedName,
): Decision<OperatorNameReserved> {
  const reserved = [{ type: 'operator.name_reserved', data: wanted }] as const;
  if (!held) return reserved;
  if (held.operatorId === wanted.operatorId) return held.revision === wanted.revision ? [] : reserved;
  if (holder.revision > held.revision)
    return holder.status === 'suspended' || holder.status === 'none' ? reserved : nameTaken(held.operatorId);
  if (mayFinish && held.revision === -1) return [];
  return new Refusal(
    'intent_conflict',
    `The name is reserved for the operator ${held.operatorId}, whose invitation or reinstatement has not ended: repeat that one, or choose another name.`,
  );
}

export const nameTaken = (operatorId: string): Refusal =>
  new Refusal(
    'intent_conflict',
    `The operator ${operatorId} has this name: choose another one, or suspend them first.`,
  );
