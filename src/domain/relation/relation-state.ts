import { Refusal } from '../refusal.js';

/**
 * A relation at its newest generation. `at`: time of establishment (Unix ms). `takenBack`: withdrawn by its actor; a
 * relation that a block ended can still be withdrawn.
 */
export interface RelationState {
  readonly active: boolean;
  readonly takenBack?: boolean;
  readonly generation: number;
  readonly at: number;
}

/** One message for every cause: the caller must not learn the reason. */
export const interactionUnavailable = (): Refusal =>
  new Refusal('interaction_unavailable', 'This cannot be followed or liked now.');
