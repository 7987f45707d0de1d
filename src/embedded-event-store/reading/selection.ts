import type { EventIndex } from '../storage/event-index.js';

/** Bounds of what one reader holds in memory at a time. */
export const MAX_PAGE_EVENTS = 256;
export const MAX_PAGE_BYTES = 1024 * 1024;

export interface Page {
  /** Ordinals of the events to send, in order. */
  ordinals: number[];
  /** Whether the reading came to the end of what is there now. A page may be empty without that, when a filter is at work. */
  atEnd: boolean;
}

/** A place in the log or in a stream that moves on page by page: all that a reader or subscription remembers. */
export interface Selection {
  /** The next events, no more than `limit`. */
  next(limit: number): Page;
}

/** The longest beginning of a row of events that one page may hold; never less than one event. */
export function fitPage(index: EventIndex, ordinals: readonly number[]): number[] {
  let bytes = 0;
  const end = ordinals.findIndex(
    (ordinal, i) => (bytes += index.lengthOf(ordinal)) > MAX_PAGE_BYTES && i > 0,
  );
  return ordinals.slice(0, end < 0 ? ordinals.length : end);
}
