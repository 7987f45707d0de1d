/**
 * Base URLs of networks that no test breaks. A 503 there means a busy machine, and is retried with the same intent, as
 * applications do.
 */
export const networksWithoutFaults = new Set<string>();
