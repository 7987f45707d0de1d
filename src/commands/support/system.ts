import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, IdGenerator } from './ambient.js';

export const systemClock: Clock = { now: () => Date.now() };

export const systemIds: IdGenerator = {
  random: () => randomBytes(16).toString('base64url'),
  uuid: () => randomUUID(),
};
