import type { FeedPage } from '../../../../../projections/feed/feed.read-model.js';
import type { ErrorBody } from '../../../../server/errors.js';

/** Server-sent events (HTML Standard, section 9.2.6, "Interpreting an event stream"). */

/** A message without an event. It moves the position of the client on, so that a reconnect scans no change twice. */
export const heartbeat = (cursor: number): string => `:\nid: ${cursor}\n\n`;

export const retryFrame = (ms: number): string => `retry: ${ms}\n\n`;

export const endFrame = (body: ErrorBody): string => `event: end\ndata: ${JSON.stringify(body)}\n\n`;

/**
 * Formats a page of changes as server-sent events; '' for an empty page. Only the last event of a position has an id: a
 * client that disconnects within a position gets all events of that position again.
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
