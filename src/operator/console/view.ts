/** Seconds after which the page of unfinished work is loaded again. */
export const RELOAD_SECONDS = 3;
