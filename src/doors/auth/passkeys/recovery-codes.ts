import { RECOVERY_CODES } from '../../../domain/account/factors.js';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import type { IdGenerator } from '../../../base/support/id-generator.js';

/** Crockford's Base32: nobody takes a digit for a letter. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Characters of a code: 80 random bits. */
const LENGTH = 16;

/** Ten codes, as `0a1b-2c3d-4e5f-6g7h`. */
export const newCodes = (ids: IdGenerator): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const bytes = Buffer.from(ids.random(), 'base64url');
    const letters = Array.from({ length: LENGTH }, (_, at) => ALPHABET[(bytes[at] ?? 0) % ALPHABET.length]);
    return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
  });

/** The SHA-256 of a code, however it was typed. It is stored alone: 80 random bits cannot be tried. */
export function codeDigest(typed: string): string {
  const code = typed
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1');
  return credentialHash(code).toString('base64url');
}
