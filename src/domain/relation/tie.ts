import { Refusal } from '../refusal.js';

/** A relation at its newest generation. `at`: when it was established (Unix ms). */
export interface Tie {
  readonly stands: boolean;
  readonly generation: number;
  readonly at: number;
}

/** In the same words, whatever of it holds: who may not see something cannot tell why. */
export const interactionUnavailable = (): Refusal =>
  new Refusal('interaction_unavailable', 'This cannot be followed or liked now.');
