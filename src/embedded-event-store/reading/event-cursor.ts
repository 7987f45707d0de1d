import type { EventIndex } from '../storage/event-index.js';

export const MAX_PAGE_EVENTS = 256;
export const MAX_PAGE_BYTES = 1024 * 1024;

export interface Page {
  ordinals: number[];
  /** True at the current end. A page of a filtered read may be empty before the end. */
  atEnd: boolean;
}

/** A cursor in the log or in a stream: the whole state of a read or subscription. */
export interface EventCursor {
  next(limit: number): Page;
}

export function ordinalsOfPage(index: EventIndex, ordinals: readonly number[]): number[] {
  let bytes = 0;
  const end = ordinals.findIndex(
    (ordinal, i) => (bytes += index.lengthOf(ordinal)) > MAX_PAGE_BYTES && i > 0,
  );
  return ordinals.slice(0, end < 0 ? ordinals.length : end);
}
