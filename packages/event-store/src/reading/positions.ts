import type { EventIndex } from '../storage/event-index.js';

export interface Position {
  commit: number;
  prepare: number;
}

/** The position is not the start of an event. EventStoreDB refuses such a read too: it would return garbage. */
export class InvalidPositionError extends Error {
  override readonly name = 'InvalidPositionError';
  constructor() {
    super('Trying to read from an invalid position.');
  }
}

/**
 * Returns the ordinal of the event at a position. Position 0 is the start of the log, and each position after the
 * last event is its end: a client may know such a position from before a restore of the log.
 * @throws {InvalidPositionError}
 */
export function ordinalAt(index: EventIndex, { commit }: Position): number {
  const ordinal = index.ordinalFrom(commit);
  if (commit !== 0 && ordinal < index.count && index.positionOf(ordinal) !== commit)
    throw new InvalidPositionError();
  return ordinal;
}

export function ordinalAfter(index: EventIndex, position: Position): number {
  const ordinal = ordinalAt(index, position);
  const exists = ordinal < index.count && index.positionOf(ordinal) === position.commit;
  // positions compare as pairs: (c, c) follows (c, p) for a smaller p
  return exists && position.prepare >= position.commit ? ordinal + 1 : ordinal;
}
