import { randomBytes } from 'node:crypto';

/**
 * 256 random bits. Basic credentials are percent-decoded by the server (RFC 6749, section 2.3.1), not encoded by every
 * client: no character of these would change.
 */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}
