/**
 * Addresses of networks that no test breaks. There a 503 comes of a busy machine alone, and is asked again with the same intent,
 * as applications do.
 */
export const undisturbed = new Set<string>();
