import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { OperatorNameReserved } from './events.js';
import type { Operator } from './operator.js';

/** `revision`: of the newest event in the operator's stream, after which alone they may be invited or reinstated; -1: none. */
export interface NameReservation {
  readonly operatorId: string;
  readonly revision: number;
  readonly at: number;
}

export interface NameHolder {
  readonly revision: number;
  readonly status: Operator['status'];
}

/** `mayFinish`: an invitation by another process that never came to its end may be finished in place of a new one. */
export interface WantedName extends NameReservation {
  readonly mayFinish: boolean;
}

/** The process that made it may have ended before the invitation or reinstatement. */
const LAPSE_MS = 24 * 60 * 60_000;

/**
 * Reserves a name. While the stream of its holder is as their reservation found it, the invitation or reinstatement that
 * they made it for may still follow, for a day; later it cannot any more, and their state decides.
 */
export function reserveName(
  held: NameReservation | undefined,
  holder: NameHolder,
  { mayFinish, ...wanted }: WantedName,
): Decision<OperatorNameReserved> {
  const reserve = (operatorId = wanted.operatorId) =>
    [{ type: 'operator.name_reserved', data: { ...wanted, operatorId } }] as const;
  if (!held) return reserve();
  const age = wanted.at - held.at;
  // Renewed long before it lapses, so that nobody else gets the name before the append that follows.
  if (held.operatorId === wanted.operatorId)
    return held.revision === wanted.revision && age < LAPSE_MS / 2 ? [] : reserve();
  if (holder.revision > held.revision || age >= LAPSE_MS)
    return holder.status === 'suspended' || holder.status === 'none' ? reserve() : nameTaken(held.operatorId);
  if (mayFinish && held.revision === -1) return reserve(held.operatorId);
  return new Refusal(
    'intent_conflict',
    `The name is reserved for the operator ${held.operatorId}, whose invitation or reinstatement has not ended: repeat that one, choose another name, or wait a day.`,
  );
}

export const nameTaken = (operatorId: string): Refusal =>
  new Refusal(
    'intent_conflict',
    `The operator ${operatorId} has this name: choose another one, or suspend them first.`,
  );
