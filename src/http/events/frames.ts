import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { ErrorBody } from '../server/errors.js';

/** Messages of an event stream (HTML Standard, section 9.2.6, "Interpreting an event stream"). */

/** Nothing happened; what was passed over need not be looked through again. */
export const heartbeat = (cursor: number): string => `:\nid: ${cursor}\n\n`;

/** How long to wait before connecting again, in milliseconds. */
export const retry = (ms: number): string => `retry: ${ms}\n\n`;

/** Why the stream ends. */
export const end = (body: ErrorBody): string => `event: end\ndata: ${JSON.stringify(body)}\n\n`;

/**
 * The events of a page; empty if there are none. Only the last event of a position has an id: whoever was cut off within
 * a position gets all of it again.
 */
export function framesOf({ events, cursor, replace }: FeedPage): string {
  if (replace) return `event: replace\ndata: ${JSON.stringify({ cursor })}\nid: ${cursor}\n\n`;
  return events
    .map((event, index) => {
      const isLast = events[index + 1]?.position !== event.position;
      const id = isLast ? `id: ${event.position}\n` : '';
      return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n${id}\n`;
    })
    .join('');
}
