import { createHash } from 'node:crypto';

/**
 * SHA-256: how tokens, codes, sessions and client secrets are kept, and found. They have at least 128 random bits, so a
 * slow hash would protect nothing more.
 */
export function credentialHash(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
