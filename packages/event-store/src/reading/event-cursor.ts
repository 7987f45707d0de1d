import type { EventIndex } from '../storage/event-index.js';

export const MAX_PAGE_EVENTS = 256;
export const MAX_PAGE_BYTES = 1024 * 1024;

export interface Page {
  ordinals: number[];
  /** True if no event follows for now. A page of a filtered read may be empty and not at the end. */
  atEnd: boolean;
}

/**
 * The place of a read or subscription in the log or in a stream, and all of its state. `next` returns the following
 * page.
 */
export interface EventCursor {
  next(limit: number): Page;
}

export function fitIntoPage(index: EventIndex, ordinals: readonly number[]): number[] {
  let bytes = 0;
  const end = ordinals.findIndex(
    (ordinal, i) => (bytes += index.lengthOf(ordinal)) > MAX_PAGE_BYTES && i > 0,
  );
  return ordinals.slice(0, end < 0 ? ordinals.length : end);
}
