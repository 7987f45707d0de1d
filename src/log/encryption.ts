import { createHmac } from 'node:crypto';
import { decryptAesGcm, encryptAesGcm, NONCE_BYTES, TAG_BYTES } from '../support/aes-gcm.js';
import type { PersonKey } from './vault/key-vault.js';

/** `box`: nonce ‖ ciphertext ‖ tag, in base64url. */
export interface Encrypted {
  readonly keyId: string;
  readonly box: string;
}

/**
 * `bound`: additional authenticated data, so that a ciphertext cannot move to another event. `nonce`: 12 random bytes,
 * never reused with the same key.
 */
export function encrypt(key: PersonKey, plain: string, bound: string, nonce: Buffer): Encrypted {
  const { text, tag } = encryptAesGcm(key.key, plain, { nonce, additionalData: bound });
  return { keyId: key.id, box: Buffer.concat([nonce, text, tag]).toString('base64url') };
}

/** @throws if the key or `bound` is another one, or if a bit has changed. */
export function decrypt(key: PersonKey, encrypted: Encrypted, bound: string): string {
  const bytes = Buffer.from(encrypted.box, 'base64url');
  const parts = {
    nonce: bytes.subarray(0, NONCE_BYTES),
    text: bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  };
  return decryptAesGcm(key.key, parts, bound);
}

/**
 * HMAC-SHA-256 of an intent's payload, in base64url. The person's key prevents guessing a short text from its hash
 * after erasure.
 */
export function payloadDigest(key: PersonKey, payload: unknown): string {
  return createHmac('sha256', key.key).update(JSON.stringify(payload)).digest('base64url');
}
