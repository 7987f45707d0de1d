import { createHash, randomBytes } from 'node:crypto';

/** The prefix tells it from the shared token (src/launch/shared-token.ts), and scanners of leaked secrets find it. */
export const newPersonalToken = (): string => `plop_${secret()}`;

export const newInvitationCode = (): string => `plinv_${secret()}`;

export const newPasskeyLinkCode = (): string => `plkey_${secret()}`;

/**
 * SHA-256 in base64url, as events and authority store have it. The secrets have 256 random bits, so a slow hash would
 * add no protection.
 */
export const operatorSecretHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');

const secret = () => randomBytes(32).toString('base64url');
