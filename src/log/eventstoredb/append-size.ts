import { ErrorType, isCommandError, jsonEvent } from '@eventstore/db-client';

/**
 * Upper bound of the data of one append. A request body has at most 64 KiB, and encryption adds a third to its text
 * of at most 2,000 code points.
 */
export const LARGEST_APPEND_BYTES = 80 * 1024;

export const APPEND_LIMIT_TOO_LOW = `The event store rejects appends of ${LARGEST_APPEND_BYTES} bytes, the size of Plaza's largest event: raise its --max-append-size (and --max-append-event-size, if it has that option).`;

export const largestEvent = jsonEvent({
  id: '00000000-0000-4000-8000-000000000002',
  type: 'readiness-checked',
  data: { filling: 'x'.repeat(LARGEST_APPEND_BYTES - JSON.stringify({ filling: '' }).length) },
});

export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error &&
  isCommandError(error) &&
  (error.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED ||
    error.message.includes('MaximumAppendEventSizeExceeded'));
