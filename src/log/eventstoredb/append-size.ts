import { ErrorType, isCommandError, jsonEvent } from '@eventstore/db-client';

/**
 * No append of this project has more in it: none comes from more than a request's body of 64 KiB, and what is sealed of it,
 * which grows by a third, is a text of 2,000 code points at the most. A server that takes less refuses some of them.
 */
export const LARGEST_APPEND_BYTES = 80 * 1024;

export const TOO_LARGE = `The event store takes no append of ${LARGEST_APPEND_BYTES} bytes, which Plaza's largest event may have: raise --max-append-size there (and --max-append-event-size, if it has that).`;

/** As large as that in its data alone: older servers count nothing else. */
export const largestEvent = jsonEvent({
  id: '00000000-0000-4000-8000-000000000002',
  type: 'readiness-checked',
  data: { filling: 'x'.repeat(LARGEST_APPEND_BYTES - JSON.stringify({ filling: '' }).length) },
});

/** Whether a server has refused an append for its size. The client does not know the answer of KurrentDB to a single event. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error &&
  isCommandError(error) &&
  (error.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED ||
    error.message.includes('MaximumAppendEventSizeExceeded'));
