import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { PersonKey } from './vault/key-vault.js';

/** Personal fields as they stand in a stored event: which key opens them, and nonce ‖ ciphertext ‖ tag in base64url. */
export interface Encrypted {
  readonly keyId: string;
  readonly box: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). `bound` is authenticated with the text, so that a box cannot be moved to another
 * event. `nonce`: 12 random bytes, never used twice with one key.
 */
export function encrypt(key: PersonKey, text: string, bound: string, nonce: Buffer): Encrypted {
  const cipher = createCipheriv('aes-256-gcm', key.key, nonce).setAAD(Buffer.from(bound));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return { keyId: key.id, box: Buffer.concat(parts).toString('base64url') };
}

/** The text of a box. Throws if the box was altered, or belongs to another event or key. */
export function decrypt(key: PersonKey, sealed: Encrypted, bound: string): string {
  const box = Buffer.from(sealed.box, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key.key, box.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(bound))
    .setAuthTag(box.subarray(-TAG_BYTES));
  return decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/**
 * Keyed digest of an intent's payload (HMAC-SHA-256, base64url). Keyed by the person, because a bare hash of a short
 * text could be guessed after the text is erased.
 */
export function payloadDigest(key: PersonKey, payload: unknown): string {
  return createHmac('sha256', key.key).update(JSON.stringify(payload)).digest('base64url');
}
