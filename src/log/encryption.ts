import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { PersonKey } from './vault/key-vault.js';

/** `box`: nonce ‖ ciphertext ‖ tag, in base64url. */
export interface Encrypted {
  readonly keyId: string;
  readonly box: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). `bound`: additional authenticated data, so that a ciphertext cannot move to another
 * event. `nonce`: 12 random bytes, never reused with the same key.
 */
export function encrypt(key: PersonKey, text: string, bound: string, nonce: Buffer): Encrypted {
  const cipher = createCipheriv('aes-256-gcm', key.key, nonce).setAAD(Buffer.from(bound));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return { keyId: key.id, box: Buffer.concat(parts).toString('base64url') };
}

export function decrypt(key: PersonKey, encrypted: Encrypted, bound: string): string {
  const bytes = Buffer.from(encrypted.box, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/**
 * HMAC-SHA-256 of an intent's payload, in base64url. The person's key prevents guessing a short text from its hash
 * after erasure.
 */
export function payloadDigest(key: PersonKey, payload: unknown): string {
  return createHmac('sha256', key.key).update(JSON.stringify(payload)).digest('base64url');
}
