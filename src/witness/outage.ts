import { LogUnavailable, NotWitnessed } from '../log/event-log.js';
import { isUnreachable } from '../store/unreachable.js';
import { WitnessRequired, WitnessUnavailable } from '../witness/witness.js';

/** True if a store does not answer: the effects of a decision follow later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof LogUnavailable ||
  error instanceof NotWitnessed ||
  error instanceof WitnessUnavailable ||
  error instanceof WitnessRequired ||
  isUnreachable(error);
