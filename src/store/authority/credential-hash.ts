import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 under which tokens, codes, sessions and client secrets are stored. These have at least 128 random
 * bits, so a slow hash would add no protection.
 */
export function credentialHash(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
