import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import type { ErrorBody } from '../server/errors.js';

/** Server-sent events (HTML Standard, section 9.2.6, "Interpreting an event stream"). */

/** Advances the client's position, so that a scanned range is not scanned again. */
export const heartbeat = (cursor: number): string => `:\nid: ${cursor}\n\n`;

export const retryFrame = (ms: number): string => `retry: ${ms}\n\n`;

export const endFrame = (body: ErrorBody): string => `event: end\ndata: ${JSON.stringify(body)}\n\n`;

/**
 * Returns '' for an empty page. Only the last event of a position has an id: a client that reconnects within a
 * position gets all its events again.
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
