import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, IdGenerator } from './ambient.js';

/** The machine's own clock and randomness. */
export const systemClock: Clock = { now: () => Date.now() };

export const systemIds: IdGenerator = {
  random: () => randomBytes(16).toString('base64url'),
  uuid: () => randomUUID(),
};
