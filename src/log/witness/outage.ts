import { LogUnavailable, NotWitnessed } from '../event-log.js';
import { isUnreachable } from '../../base/store/unreachable.js';
import { WitnessRequired, WitnessUnavailable } from './witness.js';

/** True if log, witness or Postgres does not answer: the same may succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof LogUnavailable ||
  error instanceof NotWitnessed ||
  error instanceof WitnessUnavailable ||
  error instanceof WitnessRequired ||
  isUnreachable(error);
