import { Refusal } from '../refusal.js';

/**
 * A follow or like. `generation`: number of times it was established; `at`: the newest time (Unix ms). `takenBack`:
 * withdrawn by its actor; a follow that a block ended can still be withdrawn.
 */
export interface RelationState {
  readonly active: boolean;
  readonly takenBack?: boolean;
  readonly generation: number;
  readonly at: number;
}

/** One message for every cause, such as a block or a suspension: the caller must not learn the cause. */
export const interactionUnavailable = (): Refusal =>
  new Refusal('interaction_unavailable', 'This cannot be followed or liked now.');
