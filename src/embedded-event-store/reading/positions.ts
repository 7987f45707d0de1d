import type { EventIndex } from '../storage/event-index.js';

export interface Position {
  commit: number;
  prepare: number;
}

/** A position at which no event begins. EventStoreDB refuses it too: reading on from there would be reading garbage. */
export class InvalidPositionError extends Error {
  override readonly name = 'InvalidPositionError';
  constructor() {
    super('Trying to read from an invalid position.');
  }
}

/**
 * The ordinal at a position. Position 0 is the start of the log; a position behind the last event is the end of it, for
 * instance that of a log which has since been restored from an older backup. Throws InvalidPositionError.
 */
export function ordinalAt(index: EventIndex, { commit }: Position): number {
  const ordinal = index.ordinalFrom(commit);
  if (commit !== 0 && ordinal < index.count && index.positionOf(ordinal) !== commit)
    throw new InvalidPositionError();
  return ordinal;
}

/** The ordinal behind a position: where a subscription goes on whose checkpoint it is. Throws InvalidPositionError. */
export function ordinalBehind(index: EventIndex, position: Position): number {
  const ordinal = ordinalAt(index, position);
  const isThere = ordinal < index.count && index.positionOf(ordinal) === position.commit;
  // the event at (c, c) lies behind the pair (c, p) when p is smaller: pairs are compared part by part
  return isThere && position.prepare >= position.commit ? ordinal + 1 : ordinal;
}
