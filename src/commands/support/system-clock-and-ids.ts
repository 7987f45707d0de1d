import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, IdGenerator } from './clock-and-ids.js';

export const systemClock: Clock = { now: () => Date.now() };

export const systemIds: IdGenerator = {
  random: () => randomBytes(16).toString('base64url'),
  uuid: () => randomUUID(),
};
