import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CipherKey } from 'node:crypto';

/**
 * Lengths of the nonce and the tag in bytes (NIST SP 800-38D). Stored formats rely on both: another length makes
 * stored data unreadable.
 */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Result of an encryption. Its parts have no order here: each stored format has its own. */
export interface Ciphertext {
  readonly nonce: Buffer;
  readonly text: Buffer;
  readonly tag: Buffer;
}

export interface EncryptionOptions {
  /** 12 random bytes, never reused with the same key. */
  readonly nonce: Buffer;
  /** Authenticated with the text, but not stored with it: decryption needs the same value. */
  readonly additionalData?: string;
}

/** Encrypts a text with AES-256-GCM. `key`: 32 bytes. */
export function encryptAesGcm(
  key: CipherKey,
  plain: string,
  { nonce, additionalData = '' }: EncryptionOptions,
): Ciphertext {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(additionalData));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return { nonce, text, tag: cipher.getAuthTag() };
}

/** @throws {Error} the key or the additional data differ from those of the encryption, or a part was changed. */
export function decryptAesGcm(key: CipherKey, { nonce, text, tag }: Ciphertext, additionalData = ''): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(additionalData)).setAuthTag(tag);
  return decipher.update(text, undefined, 'utf8') + decipher.final('utf8');
}
