import { Refusal } from '../refusal.js';

/**
 * A relation at its newest generation. `at`: when it was established (Unix ms). `takenBack`: whose it is has ended it; one
 * that a block ended can still be taken back.
 */
export interface Tie {
  readonly active: boolean;
  readonly takenBack?: boolean;
  readonly generation: number;
  readonly at: number;
}

/** In the same words, whatever of it holds: who may not see something cannot tell why. */
export const interactionUnavailable = (): Refusal =>
  new Refusal('interaction_unavailable', 'This cannot be followed or liked now.');
