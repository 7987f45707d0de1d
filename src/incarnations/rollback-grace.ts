/** Time to keep a retired incarnation for a rollback, in milliseconds. */
export const RETIRED_INCARNATION_KEPT_MS = 24 * 60 * 60_000;
