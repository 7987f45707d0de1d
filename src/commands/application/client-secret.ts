import { randomBytes } from 'node:crypto';

/**
 * Returns 256 random bits in base64url. The server percent-decodes Basic credentials (RFC 6749, section 2.3.1), but not
 * every client encodes them: these characters need no encoding.
 */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}
