import { createHmac } from 'node:crypto';
import { decryptAesGcm, encryptAesGcm, NONCE_BYTES, TAG_BYTES } from '../base/support/aes-gcm.js';
import type { PersonKey } from './vault/key-vault.js';

/** Ciphertext of personal texts. `keyId`: the key of the person; `box`: nonce ‖ ciphertext ‖ tag, in base64url. */
export interface Encrypted {
  readonly keyId: string;
  readonly box: string;
}

/**
 * Encrypts a text with the key of a person. `bound`: data of the event, authenticated with the text, so that the
 * ciphertext is invalid in another event. `nonce`: 12 random bytes, never reused with the same key.
 */
export function encrypt(key: PersonKey, plain: string, bound: string, nonce: Buffer): Encrypted {
  const { text, tag } = encryptAesGcm(key.key, plain, { nonce, additionalData: bound });
  return { keyId: key.id, box: Buffer.concat([nonce, text, tag]).toString('base64url') };
}

/**
 * Returns the text.
 * @throws {Error} the key or `bound` differs from that of the encryption, or the ciphertext was changed.
 */
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
 * Returns the HMAC-SHA-256 of the payload of an intent, in base64url. It is keyed with the key of the person: after
 * an erasure, nobody can guess a short text from the hash.
 */
export function payloadDigest(key: PersonKey, payload: unknown): string {
  return createHmac('sha256', key.key).update(JSON.stringify(payload)).digest('base64url');
}
