import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 under which tokens, codes, sessions and client secrets are stored. They are random with at
 * least 128 bits, so a slow hash, as for passwords, would not protect them better.
 */
export function credentialHash(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}

/** Tells whether a password was changed: each hash of one has a salt of its own. */
export const passwordFingerprint = (passwordHash: string): string =>
  createHash('sha256').update(passwordHash).digest('base64url').slice(0, 22);
