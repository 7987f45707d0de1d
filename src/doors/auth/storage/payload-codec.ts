import { hkdfSync, randomBytes } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import { decryptAesGcm, encryptAesGcm, NONCE_BYTES, TAG_BYTES } from '../../../base/support/aes-gcm.js';

/**
 * Removes secrets from a stored payload, so that a reader of the table cannot act for anyone; restores them on read.
 */
export interface PayloadCodec {
  strip(payload: AdapterPayload, id: string): AdapterPayload;
  restore(stored: AdapterPayload, id: string): AdapterPayload;
}

export const plainPayload: PayloadCodec = {
  strip: ({ jti: _value, consumed: _column, ...rest }) => rest,
  restore: (stored, id) => ({ ...stored, jti: id }),
};

export const sessionPayload: PayloadCodec = {
  strip: ({ state, ...rest }, id) => ({
    ...plainPayload.strip(rest, id),
    ...(state === undefined ? {} : { sealed: encrypt({ state }, id) }),
  }),
  restore: decrypted,
};

/**
 * Codec for interactions. It removes the return address, which contains the identifier of the interaction, and the
 * session's cookie, which no code reads. It encrypts the authorization request, which may carry an ID token as a hint.
 */
export function interactionPayload(returnTo: (uid: string) => string): PayloadCodec {
  return {
    strip: ({ returnTo: _address, session, params, prompt, ...rest }, id) => {
      const { cookie: _cookie, ...sessionWithoutCookie } = (session ?? {}) as Record<string, unknown>;
      return {
        ...plainPayload.strip(rest, id),
        ...(session === undefined ? {} : { session: sessionWithoutCookie }),
        sealed: encrypt({ params, prompt }, id),
      };
    },
    restore: (stored, id) => ({ ...decrypted(stored, id), returnTo: returnTo(id) }),
  };
}

function decrypted(stored: AdapterPayload, id: string): AdapterPayload {
  const { sealed, ...rest } = stored;
  return { ...rest, ...(typeof sealed === 'string' ? decrypt(sealed, id) : {}), jti: id };
}

/**
 * Encrypts under a key derived from the value of the record alone, which is not stored. Returns nonce ‖ tag ‖
 * ciphertext, in base64url.
 */
function encrypt(content: object, id: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const { text, tag } = encryptAesGcm(keyOf(id), JSON.stringify(content), { nonce });
  return Buffer.concat([nonce, tag, text]).toString('base64url');
}

function decrypt(sealed: string, id: string): object {
  const bytes = Buffer.from(sealed, 'base64url');
  const textAt = NONCE_BYTES + TAG_BYTES;
  const parts = {
    nonce: bytes.subarray(0, NONCE_BYTES),
    tag: bytes.subarray(NONCE_BYTES, textAt),
    text: bytes.subarray(textAt),
  };
  return JSON.parse(decryptAesGcm(keyOf(id), parts)) as object;
}

const keyOf = (id: string) => Buffer.from(hkdfSync('sha256', id, '', 'plaza record', 32));
