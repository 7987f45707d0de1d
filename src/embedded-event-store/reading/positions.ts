import type { EventIndex } from '../storage/event-index.js';

export interface Position {
  commit: number;
  prepare: number;
}

/** A position inside an event. EventStoreDB refuses it too: a read from there would return garbage. */
export class InvalidPositionError extends Error {
  override readonly name = 'InvalidPositionError';
  constructor() {
    super('Trying to read from an invalid position.');
  }
}

/**
 * Position 0 is the start of the log, and a position after the last event is the end. A client may have such a
 * position from before the log's restore from a backup.
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
