/** How long what was published before is kept for a rollback, in milliseconds. */
export const GRACE_MS = 24 * 60 * 60_000;
