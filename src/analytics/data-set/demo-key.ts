import { createHash } from 'node:crypto';

/** Known to everybody, so that the demo's pseudonyms are the same in each run: no other data set may have this key. */
export const demoKey = createHash('sha256').update('invented').digest();
