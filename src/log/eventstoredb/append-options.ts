import { FROM_LEADER } from './bounded-read.js';

/**
 * Options of every append. The client sends the deadline as a point in time. It is an hour because of wrong clocks: a
 * server whose clock is ahead by more than that rejects every append.
 */
export const APPEND_OPTIONS = { deadline: 60 * 60_000, ...FROM_LEADER } as const;
