/** Time to keep a retired incarnation for a rollback, in milliseconds. */
export const GRACE_MS = 24 * 60 * 60_000;
