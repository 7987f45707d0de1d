import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CipherKey } from 'node:crypto';

/** Bytes of the nonce and of the tag (NIST SP 800-38D). Stored formats depend on both. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** The caller stores the three parts in an order of its own. */
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

/** AES-256-GCM. `key`: 32 bytes. */
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

/** @throws if the key or the additional data is another one, or if a bit of a part has changed. */
export function decryptAesGcm(key: CipherKey, { nonce, text, tag }: Ciphertext, additionalData = ''): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(additionalData)).setAuthTag(tag);
  return decipher.update(text, undefined, 'utf8') + decipher.final('utf8');
}
