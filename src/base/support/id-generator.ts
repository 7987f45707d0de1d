import { randomBytes, randomUUID } from 'node:crypto';

export abstract class IdGenerator {
  /** A new opaque identifier: 22 URL-safe characters, 128 random bits. */
  abstract random(): string;
  abstract uuid(): string;
}

export const systemIds: IdGenerator = {
  random: () => randomBytes(16).toString('base64url'),
  uuid: () => randomUUID(),
};
