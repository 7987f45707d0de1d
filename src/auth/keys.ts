import { createHmac, randomBytes } from 'node:crypto';
import type { NetworkSecrets } from '../log/vault/network-secrets.js';
import type { KeySet } from './signing-keys.js';

/** Secrets of the authorization server: made at the network's first start, the same in every process and after a restart. */
export interface AuthKeys {
  /** Signs the cookies of login sessions. */
  readonly cookies: string;
  /** Signs the hidden field of a page's form. */
  readonly forms: Buffer;
  /** Turns an actor into a subject that differs from application to application. */
  readonly pairwise: Buffer;
  /** Private JSON Web Keys: those that are published, first the one that signs ID tokens. */
  readonly signing: KeySet;
}

/** All that never change while a server runs. */
export type LastingKeys = Omit<AuthKeys, 'signing'>;

/** Reads the keys, making those that are not there yet. */
export async function loadLastingKeys(secrets: NetworkSecrets): Promise<LastingKeys> {
  const cookies = await secrets.get('cookie-keys', () => randomBytes(32));
  const pairwise = await secrets.get('pairwise-subjects', () => randomBytes(32));
  return {
    cookies: cookies.toString('base64url'),
    forms: createHmac('sha256', cookies).update('forms').digest(),
    pairwise,
  };
}
